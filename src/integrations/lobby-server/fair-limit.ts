import type { GateSettings } from './lobby-gate-config.js';
import { networksOf } from './networks.js';

/**
 * A limited number of places that addresses share. As long as fewer than half are taken, anyone may
 * take one, so that players behind one proxy are not kept out of an idle gate. After that an
 * address may hold a quarter of the free places, and at least two: a client with few addresses
 * cannot take the places of all others. Of IPv6, a /64 counts as one address. A /56 may hold twice
 * as much, and a /48 four times.
 */
export interface FairLimit {
  /** How many are taken. */
  readonly used: () => number;
  readonly hasRoomFor: (address: string) => boolean;
  /**
   * Takes a place, and returns the function that frees it again. Further calls of that function do
   * nothing.
   */
  readonly take: (address: string) => () => void;
}

/** What addresses share in a gate. */
export interface GateLimits {
  /** Open sockets whose first message has yet to come. */
  readonly waiting: FairLimit;
  /** Tokens that are being confirmed. */
  readonly pending: FairLimit;
  /** Tokens for which the service's answer was lost. */
  readonly unresolved: FairLimit;
}

const SMALLEST_SHARE = 2;

/** A token stays unresolved for longer than its confirmation takes. */
const UNRESOLVED_FOR_EACH_PENDING = 4;

export function createGateLimits({
  maxWaiting,
  maxPending,
}: Pick<GateSettings, 'maxWaiting' | 'maxPending'>): GateLimits {
  return {
    waiting: createFairLimit(maxWaiting),
    pending: createFairLimit(maxPending),
    unresolved: createFairLimit(UNRESOLVED_FOR_EACH_PENDING * maxPending),
  };
}

function createFairLimit(max: number): FairLimit {
  const byNetwork = new Map<string, number>();
  let taken = 0;

  const add = (networks: readonly string[], change: 1 | -1) => {
    taken += change;
    for (const network of networks) {
      const now = (byNetwork.get(network) ?? 0) + change;
      if (now > 0) byNetwork.set(network, now);
      else byNetwork.delete(network);
    }
  };
  const isWithinShare = (address: string) => {
    const share = Math.max(SMALLEST_SHARE, (max - taken) / 4);
    return (
      taken < max / 2 ||
      networksOf(address).every((network, i) => (byNetwork.get(network) ?? 0) < share * 2 ** i)
    );
  };
  return {
    used: () => taken,
    hasRoomFor: address => taken < max && isWithinShare(address),
    take: address => {
      const networks = networksOf(address);
      let isTaken = true;
      add(networks, 1);
      return () => {
        if (isTaken) add(networks, -1);
        isTaken = false;
      };
    },
  };
}
