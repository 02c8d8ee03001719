import { catchError, defer, finalize, first, map, of, tap, type Observable } from 'rxjs';
import type { GateSettings } from '../lobby-gate-config.js';
import { REFUSALS, refusalFor, type Refusal } from './refusal.js';

/** Confirms tokens with the service, and keeps track of those in use. */
export interface TokenConfirmation {
  /**
   * Confirms a token: emits the refusal, or undefined for OK, and completes. A token that is being confirmed or whose player
   * is in the lobby is refused without asking the service.
   */
  readonly confirm: (token: string) => Observable<Refusal | undefined>;
  /** The player of a confirmed token has left: the token may be presented again. */
  readonly release: (token: string) => void;
}

/** `onUnknown` is called with each token for which the service's answer was lost. */
export function createTokenConfirmation(
  { client, maxChecks }: Pick<GateSettings, 'client' | 'maxChecks'>,
  onUnknown: (token: string) => void,
): TokenConfirmation {
  const inUse = new Set<string>();
  let inFlight = 0;

  return {
    confirm: token =>
      defer(() => {
        if (inUse.has(token)) return of(REFUSALS.alreadyConnected);
        if (inFlight >= maxChecks) return of(REFUSALS.busy);
        inUse.add(token);
        inFlight++;
        return defer(() => client.matchmaker.players.connected({ player_token: token })).pipe(
          // Completing without a value does not count as OK.
          first(),
          map(() => undefined),
          catchError((error: unknown) => of(refusalFor(error))),
          tap((refusal: Refusal | undefined) => {
            if (refusal) inUse.delete(token);
            if (refusal?.isUnknown) onUnknown(token);
          }),
          finalize(() => inFlight--),
        );
      }),
    release: token => inUse.delete(token),
  };
}
