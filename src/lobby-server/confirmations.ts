import { catchError, defer, finalize, first, map, of, tap, type Observable } from 'rxjs';
import type { GateSettings } from './gate-settings.js';
import type { Refusal } from './refusal.js';
import { REFUSALS } from './refusals.js';
import { whyRefused } from './why-refused.js';

/** The tokens that a gate is dealing with. */
export interface Confirmations {
  /** Confirms a token: emits why not, or undefined for OK, and completes. A token is of use to one player at a time. */
  readonly confirm: (token: string) => Observable<Refusal | undefined>;
  /** The player of a confirmed token has gone; it may be shown again. */
  readonly release: (token: string) => void;
}

export function createConfirmations(
  { client, maxChecks }: Pick<GateSettings, 'client' | 'maxChecks'>,
  onUnknown: (token: string) => void,
): Confirmations {
  const inUse = new Set<string>();
  let inFlight = 0;

  return {
    confirm: token =>
      defer(() => {
        if (inUse.has(token)) return of(REFUSALS.inUse);
        if (inFlight >= maxChecks) return of(REFUSALS.busy);
        inUse.add(token);
        inFlight++;
        return defer(() => client.matchmaker.players.connected({ player_token: token })).pipe(
          // Completing without a word is no OK.
          first(),
          map(() => undefined),
          catchError((error: unknown) => of(whyRefused(error))),
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
