import { catchError, defer, finalize, first, map, of, tap, type Observable } from 'rxjs';
import type { GateSettings } from '../lobby-gate-config.js';
import { createHeldTokens } from './held-tokens.js';
import type { RunHook } from './hook-queue.js';
import type { GatePlaces } from './places.js';
import { REFUSALS, refusalFor, type Refusal } from './refusal.js';
import { createRefusedTokens } from './refused-tokens.js';

/** Confirms tokens with the service, and keeps track of those in use. */
export interface TokenConfirmation {
  /**
   * Confirms a token that came from an address: emits the refusal, or undefined for OK, and completes. The service is not asked
   * about a token that is being confirmed, in use or just refused, nor while it has asked not to be asked.
   */
  readonly confirm: (token: string, address: string) => Observable<Refusal | undefined>;
  /** The player of a confirmed token has left: it may be presented again once `onGone` has ended. */
  readonly release: (token: string) => void;
  /** The gate is open. */
  readonly open: () => void;
  /** The gate is closed: calls `onUnknown` for all tokens that are held for players who might have come again. */
  readonly close: () => void;
}

export function createTokenConfirmation(
  settings: GateSettings,
  places: GatePlaces,
  runHook: RunHook,
): TokenConfirmation {
  const { client, scheduler } = settings;
  /** The refusal of a token that is being confirmed, has a player, or has a hook running for it. */
  const inUse = new Map<string, Refusal>();
  const refused = createRefusedTokens(settings);
  const held = createHeldTokens(settings, places.held, token => freeSlot(token, REFUSALS.unknown));
  let pausedUntil = 0;

  /** No player can come in with the token while its slot is being freed. */
  const freeSlot = (token: string, refusal: Refusal) => {
    inUse.set(token, refusal);
    runHook('onUnknown', token, () => {
      inUse.delete(token);
      held.drop(token);
    });
  };

  /** Why the service is not asked about the token now, although it may be later. */
  const whyToWait = (token: string, address: string) => {
    const pause = pausedUntil - scheduler.now();
    if (pause > 0) return { ...REFUSALS.rateLimited, retryAfter: Math.ceil(pause / 1_000) };
    const hasPlaces =
      places.checking.isFreeFor(address) && (held.has(token) || places.held.isFreeFor(address));
    return hasPlaces ? undefined : REFUSALS.busy;
  };

  const settle = (token: string, address: string, refusal: Refusal | undefined) => {
    if (!refusal) {
      held.drop(token);
      return;
    }
    inUse.delete(token);
    const wait = (refusal.retryAfter ?? 0) * 1_000;
    if (refusal.isRateLimit) pausedUntil = Math.max(pausedUntil, scheduler.now() + wait);
    if (refusal.isFinal) {
      refused.add(token, refusal);
      if (held.has(token)) freeSlot(token, refusal);
    } else if (refusal.isUnknown || held.has(token)) {
      held.hold(token, address, wait);
    }
  };

  return {
    confirm: (token, address) =>
      defer(() => {
        const known = inUse.get(token) ?? refused.get(token);
        if (known) return of(known);
        const later = whyToWait(token, address);
        if (later) {
          if (held.has(token)) held.hold(token, address, later.retryAfter * 1_000);
          return of(later);
        }
        inUse.set(token, REFUSALS.alreadyConnected);
        held.pause(token);
        return defer(() => client.matchmaker.players.connected({ player_token: token })).pipe(
          // Completing without a value does not count as OK.
          first(),
          map(() => undefined),
          catchError((error: unknown) => of(refusalFor(error, token))),
          tap((refusal: Refusal | undefined) => settle(token, address, refusal)),
          finalize(places.checking.take(address)),
        );
      }),
    release: token => runHook('onGone', token, () => inUse.delete(token)),
    open: held.open,
    close: held.close,
  };
}
