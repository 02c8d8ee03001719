import { isIPv6 } from 'node:net';
import type { GateSettings } from '../lobby-gate-config.js';

/**
 * A limited number of places that addresses share. As long as fewer than half are taken, anyone may take one, so that players
 * behind one proxy are not kept out of an idle gate. After that an address may hold a quarter of what is free, and at least
 * two: a client with few addresses cannot take the places of all others.
 */
export interface Places {
  /** How many are taken. */
  readonly taken: () => number;
  readonly isFreeFor: (address: string) => boolean;
  /** Takes a place, and returns the function that frees it again. Further calls of that function do nothing. */
  readonly take: (address: string) => () => void;
}

/** What addresses share in a gate. */
export interface GatePlaces {
  /** Open sockets whose first message has yet to come. */
  readonly waiting: Places;
  /** Tokens that are being confirmed. */
  readonly checking: Places;
  /** Tokens for which the service's answer was lost. */
  readonly held: Places;
}

const SMALLEST_SHARE = 2;

/** A token is held for longer than a check takes. */
const HELD_FOR_EACH_CHECK = 4;

export function createGatePlaces({
  maxWaiting,
  maxChecks,
}: Pick<GateSettings, 'maxWaiting' | 'maxChecks'>): GatePlaces {
  return {
    waiting: createPlaces(maxWaiting),
    checking: createPlaces(maxChecks),
    held: createPlaces(HELD_FOR_EACH_CHECK * maxChecks),
  };
}

function createPlaces(max: number): Places {
  const byNetwork = new Map<string, number>();
  let taken = 0;

  const add = (network: string, change: 1 | -1) => {
    taken += change;
    const now = (byNetwork.get(network) ?? 0) + change;
    if (now > 0) byNetwork.set(network, now);
    else byNetwork.delete(network);
  };
  const isWithinShare = (address: string) => {
    const share = Math.max(SMALLEST_SHARE, (max - taken) / 4);
    return taken < max / 2 || (byNetwork.get(networkOf(address)) ?? 0) < share;
  };
  return {
    taken: () => taken,
    isFreeFor: address => taken < max && isWithinShare(address),
    take: address => {
      const network = networkOf(address);
      let isTaken = true;
      add(network, 1);
      return () => {
        if (isTaken) add(network, -1);
        isTaken = false;
      };
    },
  };
}

/** Who has one address of IPv6 usually has a whole /64 of them. */
function networkOf(address: string): string {
  const ip = address.split('%', 1)[0]!;
  if (!isIPv6(ip)) return address;
  // The last part may be an IPv4 address, which takes the place of two groups.
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip) ?? [];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = ip.replace(/\d+\.\d+\.\d+\.\d+$/, '0:0').split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
  const network = groups.slice(0, 4).map(group => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}
