import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { aBoolean } from '../../../error/index.js';
import { callHook } from '../call-hook.js';
import type { GateSettings } from '../lobby-gate-config.js';
import { networksOf } from '../limits/index.js';
import { REFUSALS, type Refusal } from '../report/index.js';
import type { Upgrade } from './upgrades.js';

/** Why the config does not let a client connect. `undefined` if it does. */
export interface RequestPolicy {
  readonly whyNotOrigin: (request: IncomingMessage) => Refusal | undefined;
  /** Counts the connection of a client that may connect, until its socket has closed. */
  readonly whyNotAddress: (upgrade: Upgrade, address: string) => Refusal | undefined;
}

export function createRequestPolicy(settings: GateSettings): RequestPolicy {
  const { allowOrigin, allowAddress } = settings;
  const open = countAddresses(settings);

  const whyNot = (hook: string, call: () => boolean, refusal: Refusal) => {
    const isAllowed = callHook(hook, call, aBoolean, settings);
    if (isAllowed === undefined) return REFUSALS.hookFailed;
    return isAllowed ? undefined : refusal;
  };
  return {
    whyNotOrigin: request =>
      whyNot('allowOrigin', () => allowOrigin(request.headers.origin, request), REFUSALS.origin),
    whyNotAddress: ({ request, socket }, address) => {
      const isAllowed = () => allowAddress(address, open.countOf(address), request);
      const refusal = whyNot('allowAddress', isAllowed, REFUSALS.address);
      if (!refusal) open.add(address, socket);
      return refusal;
    },
  };
}

/** Fewer connections than this may well come from one address. */
const MANY_CONNECTIONS = 32;

/** The open connections of each address, of which a /64 of IPv6 is one. */
function countAddresses({ report }: Pick<GateSettings, 'report'>) {
  const open = new Map<string, number>();
  let total = 0;
  let hasWarned = false;

  const change = (network: string, by: 1 | -1): number => {
    const now = (open.get(network) ?? 0) + by;
    total += by;
    if (now > 0) open.set(network, now);
    else open.delete(network);
    return now;
  };
  return {
    countOf: (address: string) => open.get(networksOf(address)[0]) ?? 0,
    add: (address: string, socket: Duplex) => {
      const [network] = networksOf(address);
      const here = change(network, 1);
      socket.once('close', () => change(network, -1));
      if (hasWarned || total < MANY_CONNECTIONS || here <= total / 2) return;
      hasWarned = true;
      report.onBehindProxy(address, here);
    },
  };
}
