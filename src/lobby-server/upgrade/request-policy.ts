import { aBoolean } from '../../error/index.js';
import { REFUSALS, type Refusal } from '../admission/index.js';
import { aString, callHook } from '../call-hook.js';
import type { GateSettings } from '../lobby-gate-config.js';
import type { Upgrade } from './upgrades.js';

/**
 * Decides whether a client may connect, based on its origin and address: then there is no refusal. Calls the hooks of the config,
 * and counts the open connections of each address.
 */
export function createRequestPolicy(
  settings: GateSettings,
): (upgrade: Upgrade) => { readonly address: string; readonly refusal: Refusal | undefined } {
  const open = countAddresses(settings);

  return upgrade => {
    const { request } = upgrade;
    const { origin } = request.headers;
    const address = callHook('addressOf', () => settings.addressOf(request), aString, settings);
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

function countAddresses({ log, scheduler }: GateSettings) {
  const open = new Map<string, number>();
  let total = 0;
  let hasWarned = false;

  const warn = (address: string) => {
    const here = open.get(address)!;
    if (hasWarned || total < MANY || here <= total / 2) return;
    hasWarned = true;
    log({ kind: 'behind_proxy', at: scheduler.now(), address, open: here });
  };
  return {
    of: (address: string) => open.get(address) ?? 0,
    add: (address: string, { request, socket }: Upgrade) => {
      total++;
      open.set(address, (open.get(address) ?? 0) + 1);
      socket.once('close', () => {
        total--;
        const left = open.get(address)! - 1;
        if (left > 0) open.set(address, left);
        else open.delete(address);
      });
      if (request.headers['x-forwarded-for'] !== undefined) warn(address);
    },
  };
}
