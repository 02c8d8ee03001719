import { isClientError, isFromService, isInputError, tryOr } from '../../../error/index.js';
import { isStatusError, isTransportError } from '../../../error/index.js';

/**
 * What an error of `players.disconnected` says of the slot.
 *
 * - `freed`: the service itself has said that it does not count the player.
 * - `retry`: nothing is known. A wrong token of ours, a proxy's page, an outage: the slot may be
 *   taken.
 * - `give_up`: nothing was sent, nor will it be: the token is none, or the client is closed.
 */
export type SlotOutcome = 'freed' | 'retry' | 'give_up';

/** The service does not know the player, or not any more. */
const FREED_STATUSES = [400, 404, 410];

/** See {@link SlotOutcome}. An error of somebody else's may be anything, and is retried. */
export function slotOutcome(error: unknown): SlotOutcome {
  // One that is not what its tag says may throw when it is read.
  return tryOr<SlotOutcome>(() => {
    if (!isClientError(error)) return 'retry';
    if (isInputError(error) || error.isRepeatable === false) return 'give_up';
    if (isTransportError(error) && error.reason === 'client_closed') return 'give_up';
    const isFreed = isStatusError(error) && isFromService(error) && FREED_STATUSES.includes(error.status);
    return isFreed ? 'freed' : 'retry';
  }, 'retry');
}
