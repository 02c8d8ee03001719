import { isInputError } from './input-error.js';
import { isStatusError } from './status-error.js';
import { isTransportError } from './transport-error.js';

/**
 * What a watch does about a failed poll.
 *
 * - `idle`: nothing failed; there was nothing new. Keep polling from the same index.
 * - `retry`: poll again after a backoff, plus `after` ms if the service asked for that (`Retry-After`). `offline`: no connection could
 *   be made. `blamesIndex`: the index may be the cause; after five such failures in a row it is dropped.
 * - `index`: the request was refused. Poll once more without the index; if there was none, the watch ends.
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

/** There is nothing new, unless a `Retry-After` says otherwise: from the service, or a proxy that times out during a long poll. */
const IDLE_STATUSES = [204, 304, 504, 524];
const INDEX_STATUSES = [400, 404, 410];
const END_STATUSES = [401, 403];

/**
 * Decides what a failed poll means for its watch. It is the default of `WatchConfig.recovery`, and decides what
 * every HTTP status means for it. Errors that do not come from this library are retried.
 *
 * @example
 * watch(poll, { recovery: error => (isGone(error) ? { kind: 'end' } : recovery(error)) });
 */
export function recovery(error: unknown): Recovery {
  if (isInputError(error)) return { kind: 'end' };
  if (isTransportError(error)) return { kind: 'retry', offline: error.reason === 'unreachable' };
  if (!isStatusError(error)) return { kind: 'retry' };

  const { status, code, retryAfter } = error;
  // On older servers the API times out before a blocked watch answers. Nothing is wrong.
  const isIdle = IDLE_STATUSES.includes(status) || code === 'API_REQUEST_TIMEOUT';
  if (isIdle && retryAfter === undefined) return { kind: 'idle' };
  if (INDEX_STATUSES.includes(status)) return { kind: 'index' };
  // A 401 only gets here if the token was already renewed once, or cannot be renewed.
  if (END_STATUSES.includes(status)) return { kind: 'end' };
  return { kind: 'retry', after: retryAfter, blamesIndex: status >= 500 };
}
