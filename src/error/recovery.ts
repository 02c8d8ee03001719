import { isInputError } from './input-error.js';
import { isStatusError } from './status-error.js';
import { isTransportError } from './transport-error.js';

/**
 * What a watch does about a failed poll.
 *
 * - `idle`: nothing failed, there was nothing new. Poll on from the same index.
 * - `retry`: poll again after a backoff; or after `after` ms, if the service asked for that. `offline`: no connection could
 *   be made. `blamesIndex`: the index may be the cause; five such failures in a row drop it.
 * - `index`: the request was refused. Poll once more without the index; without one, the watch ends.
 * - `end`: the watch ends with this error.
 */
export type Recovery =
  | { readonly kind: 'idle' | 'index' | 'end' }
  | {
      readonly kind: 'retry';
      readonly after?: number | undefined;
      readonly offline?: boolean;
      readonly blamesIndex?: boolean;
    };

/** There is nothing new: said by the service, or by a proxy that cuts a poll which blocks for longer than it waits. */
const IDLE = [204, 304, 504, 524];
const REFUSED = [400, 404, 410];
const FORBIDDEN = [401, 403];

/**
 * What a failed poll means for its watch: the default of `WatchConfig.recovery`. Every HTTP status is judged here. An
 * error that is not this library's is retried.
 *
 * @example
 * watch(poll, { recovery: error => (isGone(error) ? { kind: 'end' } : recovery(error)) });
 */
export function recovery(error: unknown): Recovery {
  if (isInputError(error)) return { kind: 'end' };
  if (isTransportError(error)) return { kind: 'retry', offline: error.reason === 'unreachable' };
  if (!isStatusError(error)) return { kind: 'retry' };

  const { status, code, retryAfter } = error;
  // The API's own limit on a request is shorter than the block of older servers: nothing is wrong.
  const isIdle = IDLE.includes(status) || code === 'API_REQUEST_TIMEOUT';
  if (isIdle && retryAfter === undefined) return { kind: 'idle' };
  if (REFUSED.includes(status)) return { kind: 'index' };
  // A 401 arrives here only after the token was renewed once, or if it cannot be renewed.
  if (FORBIDDEN.includes(status)) return { kind: 'end' };
  return { kind: 'retry', after: retryAfter, blamesIndex: status >= 500 };
}
