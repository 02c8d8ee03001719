import { errorText } from './error-text.js';
import type { GateSettings } from './gate-settings.js';
import type { Refusal } from './refusal.js';
import { REFUSALS } from './refusals.js';
import type { Upgrade } from './upgrade.js';

/** What the hooks of a gate's config make of a request. */
export interface Screened {
  readonly address: string;
  readonly refusal: Refusal | undefined;
}

/** Asks the hooks about requests, and counts the sockets of each address, in or at the gate. */
export function createScreening(settings: GateSettings): (upgrade: Upgrade) => Screened {
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
        isYes(settings.isOriginAllowed(request.headers.origin, request)) ? undefined : REFUSALS.origin,
      isAddressAllowed: () =>
        isYes(settings.isAddressAllowed(address, open.get(address) ?? 0, request))
          ? undefined
          : REFUSALS.address,
    };
    for (const [hook, ask] of Object.entries<() => Refusal | undefined>(hooks)) {
      try {
        const refusal = ask();
        if (refusal) return { address, refusal };
      } catch (error) {
        log({ kind: 'hook_failed', at: scheduler.now(), hook, error: errorText(error) });
        return { address, refusal: REFUSALS.hook };
      }
    }
    count(address, upgrade);
    return { address, refusal: undefined };
  };
}

/** Only `true` is: a promise of it, which TypeScript would not let through, would let everyone in. */
function isYes(said: unknown): boolean {
  return said === true;
}
