import { isInputError } from './input-error.js';
import { isFromService, isStatusError, type StatusError } from './status-error.js';
import { isTransportError } from './transport-error.js';
import { isUnauthorizedError } from './unauthorized-error.js';

/**
 * What a watch does about a failed poll.
 *
 * - `idle`: nothing failed: the service itself has said that there is nothing new. Keep polling from the same index.
 * - `cut`: something between ended the poll, which says nothing of the service. Poll again from the same index, without backoff.
 *   With `ifHeldFor`, it and `idle` count only if the poll took at least that long, in ms; otherwise it failed, and is retried.
 * - `retry`: poll again after a backoff, plus `after` ms if the service asked for that (`Retry-After`). `offline`: no connection
 *   could be made. `blamesIndex`: the index may be the cause; after five such failures in a row it is dropped. `dropsIndex`: it
 *   certainly is, and is dropped now. `hint`: what to check if there has never been an answer.
 * - `index`: the service refused the request. Poll once more without the index; if there was none, the watch ends.
 * - `end`: the watch ends with this error.
 */
export type Recovery =
  | { readonly kind: 'index' | 'end' }
  | { readonly kind: 'idle' | 'cut'; readonly ifHeldFor?: number }
  | {
      readonly kind: 'retry';
      readonly after?: number | undefined;
      readonly offline?: boolean;
      readonly blamesIndex?: boolean;
      readonly dropsIndex?: boolean;
      readonly hint?: string;
    };

/** No content, nothing modified: from a cache, or a server that uses it for "nothing new". It has no index of the service. */
const EMPTY_STATUSES = [204, 304];
/** From a proxy that timed out during a long poll, unless it comes at once. */
const CUT_STATUSES = [502, 504, 520, 524];
/** Services and proxies end polls after 40–100 s. What comes sooner than this, in ms, is a failure. */
const HELD_POLL = 10_000;
/** The URL or the header is too long, and the index is the only part of it that varies. Any proxy may say so. */
const TOO_LONG_STATUSES = [414, 431];
const INDEX_STATUSES = [400, 404, 410];
const END_STATUSES = [401, 403];
/** Foreign answers with these statuses say that the time is wrong, not the URL. */
export const LATER_STATUSES = [408, 425, 429];

const CHECK_URL = 'the answer does not come from the service: is the URL right?';

/**
 * Decides what a failed poll means for its watch. It is the default of `WatchConfig.recovery`, and decides what
 * every HTTP status means for it. Errors that do not come from this library are retried.
 *
 * Only the service itself can end a watch or refuse an index: see `isFromService`. What a proxy answers is retried.
 *
 * @example
 * watch(poll, { recovery: error => (isGone(error) ? { kind: 'end' } : recovery(error)) });
 */
export function recovery(error: unknown): Recovery {
  if (isInputError(error) || isUnauthorizedError(error)) return { kind: 'end' };
  if (isTransportError(error)) return { kind: 'retry', offline: error.reason === 'unreachable' };
  if (!isStatusError(error)) return { kind: 'retry' };

  const { status, code, retryAfter: after } = error;
  if (after === undefined) {
    // On older servers the API times out before a blocked watch answers. Nothing is wrong.
    if (code === 'API_REQUEST_TIMEOUT') return { kind: 'idle', ifHeldFor: HELD_POLL };
    if (EMPTY_STATUSES.includes(status)) return { kind: 'cut' };
    if (CUT_STATUSES.includes(status)) return { kind: 'cut', ifHeldFor: HELD_POLL };
  }
  if (TOO_LONG_STATUSES.includes(status)) return { kind: 'retry', after, dropsIndex: true };
  return isFromService(error) ? serviceRecovery(error) : foreignRecovery(error);
}

/** What an error status of the service itself means. */
function serviceRecovery({ status, retryAfter: after }: StatusError): Recovery {
  if (INDEX_STATUSES.includes(status)) return { kind: 'index' };
  if (END_STATUSES.includes(status)) return { kind: 'end' };
  return { kind: 'retry', after, blamesIndex: status === 500 };
}

/** What an answer means that is not the service's own. It may be a proxy's, or a service's that crashed and sent no body. */
function foreignRecovery({ status, isEmpty, retryAfter: after }: StatusError): Recovery {
  const asksForUrl = status >= 400 && status < 500 && !LATER_STATUSES.includes(status);
  return {
    kind: 'retry',
    after,
    blamesIndex: status === 500 && isEmpty,
    ...(asksForUrl && { hint: CHECK_URL }),
  };
}
