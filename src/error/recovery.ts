import { isDecodeError, NOTHING } from './decode-error.js';
import { describe } from './describe.js';
import { fieldsOf } from './guard.js';
import { InputError, isInputError } from './input-error.js';
import { isFromService, isStatusError, type StatusError } from './status-error.js';
import { isTransportError, type TransportFailure } from './transport-error.js';
import { isUnauthorizedError } from './unauthorized-error.js';

/**
 * What a watch does about a failed poll.
 *
 * - `no_news`: nothing failed. The service itself has said that there is nothing new. The watch
 *   polls on from the same index.
 * - `retry`: the watch polls again after a backoff, plus `retryAfter` ms if the service asked for
 *   that (`Retry-After`). `mayBeCut`: if the poll was held for 5 s or more, an intermediary has
 *   ended it. That says nothing about the service, and needs no backoff. `offline`: no connection
 *   could be made. `dropsIndex`: the index is the cause, and is dropped. `hint`: what to check if
 *   there has never been an answer.
 * - `index`: the service rejected the request. The watch polls once more without the index. If
 *   there was no index, the watch ends.
 * - `end`: the watch ends with this error.
 */
export type Recovery =
  | { readonly kind: 'index' | 'end' | 'no_news' }
  | {
      readonly kind: 'retry';
      readonly mayBeCut?: boolean;
      readonly retryAfter?: number | undefined;
      readonly offline?: boolean;
      readonly dropsIndex?: boolean;
      readonly hint?: string;
    };

/** The error of a callback that has returned no recovery. It may be written in JavaScript. */
export function unknownRecovery(decided: unknown): InputError {
  return new InputError('the kind of recovery', 'a known one', describe(fieldsOf(decided).kind));
}

/** A poll with an index that has been on its way for this long, in ms, is held by the service. */
export const HELD_MS = 2_000;

/** The URL or the header is too long, and only the index in it varies. Any proxy may answer so. */
const TOO_LONG_STATUSES = [414, 431];
const INDEX_STATUSES = [400, 404, 410];
const END_STATUSES = [401, 403];
/** The statuses of a gateway whose service failed, with any body. */
const GATEWAY_STATUSES = [502, 503, 504];
/** Foreign answers with these statuses say that the time is wrong, not the URL. */
export const LATER_STATUSES = [408, 425, 429];
/** The failures of a request that an intermediary may have cut off while the service held it. */
const CUTS: readonly TransportFailure[] = ['lost', 'timeout'];

const CHECK_CONSOLE = 'a browser does not say why a request failed, but its console does: is it CORS?';

function isInPage(): boolean {
  return (globalThis as { document?: unknown }).document !== undefined;
}

/** The hint for an answer that comes from something else than the service. */
export const CHECK_URL = 'the answer does not come from the service: is the URL right?';

/**
 * Decides what a failed poll means for its watch. It is the default of `WatchConfig.recovery`, and
 * decides what every HTTP status means for a watch. Errors that do not come from this library are
 * retried.
 *
 * Only the service itself can end a watch or reject an index (see `isFromService`). The answer of a
 * proxy is retried.
 *
 * @example
 * watch(poll, { recovery: error => (isGone(error) ? { kind: 'end' } : recovery(error)) });
 */
export function recovery(error: unknown): Recovery {
  if (isInputError(error) || isUnauthorizedError(error)) return { kind: 'end' };
  if (isTransportError(error)) {
    const offline = error.reason === 'unreachable';
    const mayBeCut = CUTS.includes(error.reason);
    return {
      kind: 'retry',
      offline,
      mayBeCut,
      ...(error.reason === 'lost' && isInPage() && { hint: CHECK_CONSOLE }),
    };
  }
  if (!isStatusError(error))
    return { kind: 'retry', mayBeCut: !isDecodeError(error) || error.got === NOTHING };

  const { status, code, retryAfter } = error;
  // On older servers, the API times out before a blocked watch answers. Nothing is wrong.
  const isOwn = isFromService(error);
  if (isOwn && code === 'API_REQUEST_TIMEOUT' && retryAfter === undefined) return { kind: 'no_news' };
  if (TOO_LONG_STATUSES.includes(status)) return { kind: 'retry', retryAfter, dropsIndex: true };
  return isOwn ? serviceRecovery(error) : foreignRecovery(error);
}

/** Decides by an error status of the service itself. */
function serviceRecovery({ status, retryAfter }: StatusError): Recovery {
  if (INDEX_STATUSES.includes(status)) return { kind: 'index' };
  if (END_STATUSES.includes(status)) return { kind: 'end' };
  // Gateways answer with JSON that has a code, too. With a `Retry-After`, it is a failure of the
  // service itself.
  const mayBeCut = GATEWAY_STATUSES.includes(status) && retryAfter === undefined;
  return { kind: 'retry', retryAfter, ...(mayBeCut && { mayBeCut }) };
}

/** Decides by an answer that is not the service's. */
function foreignRecovery({ status, retryAfter }: StatusError): Recovery {
  const asksForUrl = status < 500 && ![204, 304, ...LATER_STATUSES].includes(status);
  return { kind: 'retry', mayBeCut: true, retryAfter, ...(asksForUrl && { hint: CHECK_URL }) };
}
