import type { GateSettings } from './gate-settings.js';
import { createHandshakes } from './handshakes.js';
import type { Refusal } from './refusal.js';
import { REFUSALS } from './refusals.js';
import type { Upgrade } from './upgrade.js';
import { urlToken } from './url-token.js';
import type { Visitor } from './visitor.js';

/** A visitor who may show his token, and the one that he showed in the URL; see `urlToken`. */
export interface Received {
  readonly visitor: Visitor;
  readonly token: string | undefined;
}

/** Receives upgrade requests: undefined where one was answered at once, by a hook's wish or because it is no handshake. */
export function createReception(settings: GateSettings): (upgrade: Upgrade) => Received | undefined {
  const { query, log, scheduler } = settings;
  const handshake = createHandshakes(settings);
  /** How many sockets of each address there are, in or at the gate. */
  const open = new Map<string, number>();

  const comeAndGo = (address: string, { socket }: Upgrade) => {
    open.set(address, (open.get(address) ?? 0) + 1);
    socket.once('close', () => {
      const left = open.get(address)! - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
  };

  return upgrade => {
    const { request } = upgrade;
    const asked = urlToken(request.url ?? '/', query);
    const failed = (hook: string, error: unknown): Refusal => {
      log({ kind: 'hook_failed', at: scheduler.now(), hook, error });
      return REFUSALS.hook;
    };

    let address = '';
    let refusal: Refusal | undefined;
    let hook = 'addressOf';
    try {
      address = settings.addressOf(request);
      hook = 'isOriginAllowed';
      if (!settings.isOriginAllowed(request.headers.origin, request)) refusal = REFUSALS.origin;
      hook = 'isAddressAllowed';
      if (!settings.isAddressAllowed(address, open.get(address) ?? 0, request)) refusal ??= REFUSALS.address;
    } catch (error) {
      refusal = failed(hook, error);
    }

    const visitor = handshake(upgrade, { address, url: asked.url });
    if (!visitor) return undefined;
    comeAndGo(address, upgrade);
    if (!refusal) return { visitor, token: asked.token };
    visitor.turnAway(refusal);
    return undefined;
  };
}
