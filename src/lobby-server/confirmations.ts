import {
  AsyncSubject,
  catchError,
  defaultIfEmpty,
  defer,
  finalize,
  map,
  of,
  take,
  type Observable,
} from 'rxjs';
import type { GateSettings } from './gate-settings.js';
import type { Refusal } from './refusal.js';
import { REFUSALS } from './refusals.js';
import { whyRefused } from './why-refused.js';

/** The tokens that a gate is dealing with. */
export interface Confirmations {
  /**
   * Confirms a token, of which one player alone may make use at a time. Emits why not, or undefined for OK. It goes on when
   * nobody listens any more: the service may say OK all the same, and then there is a slot to be freed.
   */
  readonly confirm: (token: string) => Observable<Refusal | undefined>;
  /** The player of a token has gone, and it may be shown again. */
  readonly release: (token: string) => void;
}

export function createConfirmations(
  { client, maxChecks }: Pick<GateSettings, 'client' | 'maxChecks'>,
  onUnknown: (token: string) => void,
): Confirmations {
  const inUse = new Set<string>();
  let inFlight = 0;

  const ask = (token: string) =>
    defer(() => client.matchmaker.players.connected({ player_token: token })).pipe(
      take(1),
      map(() => undefined),
      // Nothing but an OK is one.
      defaultIfEmpty({ status: 503, code: 4424, reason: 'unknown', isUnknown: true } as const),
      catchError((error: unknown) => of(whyRefused(error))),
    );

  return {
    confirm: token => {
      if (inUse.has(token)) return of(REFUSALS.inUse);
      if (inFlight >= maxChecks) return of(REFUSALS.busy);
      inUse.add(token);
      inFlight++;
      const result$ = new AsyncSubject<Refusal | undefined>();
      ask(token)
        .pipe(
          map(refusal => {
            if (refusal) inUse.delete(token);
            if (refusal?.isUnknown) onUnknown(token);
            return refusal;
          }),
          finalize(() => inFlight--),
        )
        .subscribe(result$);
      return result$;
    },
    release: token => inUse.delete(token),
  };
}
