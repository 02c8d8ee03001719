import { aBoolean } from '../../../error/index.js';
import { REFUSALS, type Refusal } from '../admission/index.js';
import { callHook } from '../call-hook.js';
import { remoteAddress, type GateSettings } from '../lobby-gate-config.js';
import { addressOf, networksOf } from '../networks.js';
import type { Upgrade } from './upgrades.js';

/**
 * Decides whether a client may connect, based on its origin and address: then there is no refusal. Calls the hooks of the config,
 * and counts the open connections of each address, of which a /64 of IPv6 is one.
 */
export function createRequestPolicy(
  settings: GateSettings,
): (upgrade: Upgrade) => { readonly address: string; readonly refusal: Refusal | undefined } {
  const open = countAddresses(settings);

  return upgrade => {
    const { request } = upgrade;
    const { origin } = request.headers;
    const address = addressOf(request, settings);
    if (address === undefined) return { address: '', refusal: REFUSALS.hookFailed };

    const ask = (hook: 'isOriginAllowed' | 'isAddressAllowed', call: () => boolean, no: Refusal) => {
      const isAllowed = callHook(hook, call, aBoolean, settings);
      return isAllowed ? undefined : isAllowed === false ? no : REFUSALS.hookFailed;
    };
    const refusal =
      ask('isOriginAllowed', () => settings.isOriginAllowed(origin, request), REFUSALS.origin) ??
      ask(
        'isAddressAllowed',
        () => settings.isAddressAllowed(address, open.of(address), request),
        REFUSALS.address,
      );
    if (!refusal) open.add(address, upgrade);
    return { address, refusal };
  };
}

/** With fewer connections than this, they may well come from one address. */
const MANY = 32;

function countAddresses(settings: GateSettings) {
  const { log, scheduler } = settings;
  const open = new Map<string, number>();
  let total = 0;
  let hasWarned = false;

  const warn = (address: string, here: number) => {
    if (hasWarned || total < MANY || here <= total / 2) return;
    hasWarned = true;
    log({ kind: 'behind_proxy', at: scheduler.now(), address, open: here });
  };
  return {
    of: (address: string) => open.get(networksOf(address)[0]) ?? 0,
    add: (address: string, { request, socket }: Upgrade) => {
      const [network] = networksOf(address);
      const here = (open.get(network) ?? 0) + 1;
      total++;
      open.set(network, here);
      socket.once('close', () => {
        total--;
        const left = open.get(network)! - 1;
        if (left > 0) open.set(network, left);
        else open.delete(network);
      });
      // Of an address that it was told by `addressOf`, a gate cannot know.
      if (settings.addressOf === remoteAddress || request.headers['x-forwarded-for'] !== undefined)
        warn(address, here);
    },
  };
}
