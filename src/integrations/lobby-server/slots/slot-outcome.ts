import { catchError, EMPTY, type Observable } from 'rxjs';
import {
  isClientError,
  isFromService,
  isInputError,
  isStatusError,
  isTransportError,
  tryOr,
} from '../../../error/index.js';

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
