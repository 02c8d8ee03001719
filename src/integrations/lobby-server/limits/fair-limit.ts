import { networksOf } from './networks.js';

/**
 * A limit that addresses share. Until half of it is used, any address may use it, so that players
 * behind one proxy are not kept out of a quiet gate. After that, an address may use a quarter of
 * the rest, and always two. So a client with few addresses leaves room for all others. Of IPv6, a
 * /64 counts as one address. A /56 may use twice as much, and a /48 four times.
 */
export interface FairLimit {
  /** How much of the limit is used. */
  readonly used: () => number;
  readonly hasRoomFor: (address: string) => boolean;
  /**
   * Uses one of the limit. Returns the function that gives it back. Further calls of that function
   * do nothing.
   */
  readonly take: (address: string) => () => void;
}

/** The limits that addresses share in a gate. */
export interface GateLimits {
  /** Open sockets whose first message has yet to come. */
  readonly waiting: FairLimit;
  /** Tokens that are being confirmed. */
  readonly pending: FairLimit;
  /** Tokens for which the service's answer was lost. */
  readonly unresolved: FairLimit;
}

const SMALLEST_SHARE = 2;

/** For each token that is confirmed, this many may be awaited, and this many may be unresolved. */
const OTHERS_FOR_EACH_PENDING = 4;

export function createGateLimits({ maxPending }: { readonly maxPending: number }): GateLimits {
  const others = OTHERS_FOR_EACH_PENDING * maxPending;
  return {
    waiting: createFairLimit(others),
    pending: createFairLimit(maxPending),
    unresolved: createFairLimit(others),
  };
}

function createFairLimit(max: number): FairLimit {
  const byNetwork = new Map<string, number>();
  let used = 0;

  const add = (networks: readonly string[], change: 1 | -1) => {
    used += change;
    for (const network of networks) {
      const now = (byNetwork.get(network) ?? 0) + change;
      if (now > 0) byNetwork.set(network, now);
      else byNetwork.delete(network);
    }
  };
  const isWithinShare = (address: string) => {
    const share = Math.max(SMALLEST_SHARE, (max - used) / 4);
    return (
      used < max / 2 ||
      networksOf(address).every((network, i) => (byNetwork.get(network) ?? 0) < share * 2 ** i)
    );
  };
  return {
    used: () => used,
    hasRoomFor: address => used < max && isWithinShare(address),
    take: address => {
      const networks = networksOf(address);
      let isUsed = true;
      add(networks, 1);
      return () => {
        if (isUsed) add(networks, -1);
        isUsed = false;
      };
    },
  };
}
