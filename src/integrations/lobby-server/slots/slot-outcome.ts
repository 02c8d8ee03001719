import { catchError, EMPTY, type Observable, type SchedulerLike } from 'rxjs';
import {
  isClientError,
  isFromService,
  isInputError,
  isStatusError,
  isTransportError,
  tryOr,
} from '../../../error/index.js';
import { monotonicClock } from '../../../stream/index.js';

/**
 * The state of a slot after an error of `players.disconnected`.
 *
 * - `freed`: the service itself has said that it does not count the player.
 * - `retry`: nothing is known, and the slot may be taken. The lobby's token is wrong, a proxy has
 *   answered, or there is an outage.
 * - `give_up`: nothing was sent, nor will it be, since the token is invalid or the client is
 *   closed.
 */
export type SlotOutcome = 'freed' | 'retry' | 'give_up';

/**
 * How long a `connected` without an answer may still take effect, in ms. The service gives up a
 * request after 50 s, proxies give up theirs after 100 s, and a reservation is over after 120 s.
 */
const LATE_CONFIRMATION_MS = 120_000;

/** Returns whether a `connected` that got no answer until now may still take effect. */
export function lateConfirmation(scheduler: SchedulerLike): () => boolean {
  const clock = monotonicClock(scheduler);
  const since = clock.now();
  return () => clock.now() - since < LATE_CONFIRMATION_MS;
}

/** The service does not know the player, or not any more. */
const FREED_STATUSES = [400, 404, 410];

/** See {@link SlotOutcome}. An error that is not this library's may be anything, and is retried. */
export function slotOutcome(error: unknown): SlotOutcome {
  // An error whose tag is wrong may throw when it is read.
  return tryOr<SlotOutcome>(() => {
    if (!isClientError(error)) return 'retry';
    if (isInputError(error) || error.isRepeatable === false) return 'give_up';
    if (isTransportError(error) && error.reason === 'client_closed') return 'give_up';
    const isFreed = isStatusError(error) && isFromService(error) && FREED_STATUSES.includes(error.status);
    return isFreed ? 'freed' : 'retry';
  }, 'retry');
}

/** Completes if the error says that the slot is free. */
export function completeIfFreed<T>(source: Observable<T>): Observable<T> {
  return source.pipe(
    catchError((error: unknown) => {
      if (slotOutcome(error) === 'freed') return EMPTY;
      throw error;
    }),
  );
}
