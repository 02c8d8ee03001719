import { REFUSALS, type Refusal } from '../admission/index.js';
import { hookFailed } from '../gate-log-entry.js';
import type { GateSettings } from '../lobby-gate-config.js';
import type { Upgrade } from './upgrades.js';

/** Decides whether a client may connect, based on its origin and address. */
export type RequestPolicy = (upgrade: Upgrade) => {
  readonly address: string;
  /** Undefined if it may connect. */
  readonly refusal: Refusal | undefined;
};

/** Calls the hooks of the config, and counts the open connections of each address. */
export function createRequestPolicy(settings: GateSettings): RequestPolicy {
  const { log, scheduler } = settings;
  const open = new Map<string, number>();

  const count = (address: string, { socket }: Upgrade) => {
    open.set(address, (open.get(address) ?? 0) + 1);
    socket.once('close', () => {
      const left = open.get(address)! - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
  };

  return upgrade => {
    const { request } = upgrade;
    let address = '';
    const hooks = {
      addressOf: () => {
        address = settings.addressOf(request);
        return undefined;
      },
      isOriginAllowed: () =>
        isTrue(settings.isOriginAllowed(request.headers.origin, request)) ? undefined : REFUSALS.origin,
      isAddressAllowed: () =>
        isTrue(settings.isAddressAllowed(address, open.get(address) ?? 0, request))
          ? undefined
          : REFUSALS.address,
    };
    for (const [hook, ask] of Object.entries<() => Refusal | undefined>(hooks)) {
      try {
        const refusal = ask();
        if (refusal) return { address, refusal };
      } catch (error) {
        log(hookFailed(hook, error, scheduler.now()));
        return { address, refusal: REFUSALS.hookFailed };
      }
    }
    count(address, upgrade);
    return { address, refusal: undefined };
  };
}

/** A hook written in JavaScript may return a promise. It is truthy, so a plain check would admit everyone. */
function isTrue(answer: unknown): boolean {
  return answer === true;
}
