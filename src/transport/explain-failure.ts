import { whyUnsent } from '#fetch';
import {
  causeOf,
  isOwnError,
  isTransportError,
  MAX_CAUSES,
  printable,
  tryOr,
  redact,
  textOf,
  TransportError,
} from '../error/index.js';
import type { Unsent } from './send.js';
import { secretsOf, summaryOf, type TransportRequest } from './transport.js';

/**
 * Converts the error of a `fetch` to a `TransportError`. It checks codes, never classes, since
 * every fetch has its own classes. The original message is kept in `cause`, without the request's
 * secrets.
 *
 * @example
 * ```ts
 * const transport: Transport = request =>
 *   send(request).pipe(catchError(error => throwError(() => explainFailure(error, request))));
 * ```
 */
export function explainFailure(error: unknown, request: TransportRequest): TransportError {
  if (isOwnError(error) && isTransportError(error)) return error;
  const secrets = secretsOf(request);
  const found = tryOr(() => codeOf(error), undefined);
  const code = found && redact(found, secrets).slice(0, 100);
  const message = textOf(tryOr(() => (error as { message?: unknown }).message, undefined) ?? error);
  const cause = new Error(redact(message, secrets).slice(0, 300));
  // Without a code, the message is all that tells a broken connection from a bug.
  const why = code ?? printable(cause.message);
  const { reason, what } = tryOr(() => whyUnsent(error, code), undefined) ?? LOST;
  return new TransportError(reason, `${what}${why && `: ${why}`}`, summaryOf(request), {
    cause: Object.assign(cause, code !== undefined && { code }),
  });
}

const LOST: Unsent = { reason: 'lost', what: 'the connection was lost' };

/** The first code in an error and its causes. */
function codeOf(error: unknown, depth = 0): string | undefined {
  if (depth > MAX_CAUSES || typeof error !== 'object' || error === null) return undefined;
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : codeOf(causeOf(error), depth + 1);
}
