import type { RequestSummary } from './request-summary.js';

/**
 * Why no answer could be had.
 *
 * - `not_sent`: the request never left, because the token provider failed.
 * - `unreachable`: no connection was made, so the server never saw the request (browsers do not tell; there it is `lost`).
 * - `lost`: the connection broke after the request may have reached the server.
 * - `deadline`: no answer in time; the request was aborted, and may have reached the server.
 * - `redirected`: the answer was a redirect, and following it would take a token to somewhere else.
 * - `too_large`: the answer is larger than `maxBody`.
 */
export type TransportFailure = 'not_sent' | 'unreachable' | 'lost' | 'deadline' | 'redirected' | 'too_large';

/** No answer: the service was not reached, or the connection broke, or time ran out. See {@link TransportFailure}. */
export class TransportError extends Error {
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
