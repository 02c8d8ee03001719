import { hasTag, TaggedError, type RequestSummary } from './tagged-error.js';

/**
 * Why there is no answer.
 *
 * - `not_sent`: the request was never sent, because the token provider failed, or Node's
 *   permissions forbid it.
 * - `unreachable`: no connection was made, so the server never saw the request. Browsers cannot
 *   tell and report `lost`.
 * - `lost`: the connection broke after the request may have reached the server.
 * - `timeout`: no answer began in time. The request was aborted, but may have reached the server.
 * - `redirected`: the answer was a redirect, which is not followed because it would send the token
 *   to another server.
 * - `too_large`: the answer is larger than `maxBody`.
 * - `client_closed`: the client was closed, before the request was sent or while it was open.
 */
export type TransportFailure =
  'not_sent' | 'unreachable' | 'lost' | 'timeout' | 'redirected' | 'too_large' | 'client_closed';

/**
 * There is no answer. The service was not reached, the connection broke, or time ran out. `reason`
 * says which.
 */
export class TransportError extends TaggedError {
  readonly _tag = 'TransportError';
  override readonly name = 'TransportError';

  constructor(
    readonly reason: TransportFailure,
    message: string,
    readonly request: RequestSummary,
    options?: { readonly cause?: unknown },
  ) {
    super(`${message} (${request.method} ${request.url})`, options);
  }
}

/**
 * Whether this is a `TransportError`, from any copy of this library in any realm.
 *
 * @example
 * if (isTransportError(error) && error.reason === 'unreachable') showOffline();
 */
export const isTransportError: (u: unknown) => u is TransportError = hasTag<TransportError>('TransportError');
