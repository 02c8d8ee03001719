import { isUnconnected } from '#fetch';
import { isOwnError, isTransportError, redact, textOf, TransportError } from '../error/index.js';
import { secretsOf, summaryOf, type TransportRequest } from './transport.js';

/** Deno has no code, only a message. */
const UNREACHABLE_MESSAGE = 'client error (Connect)';

/**
 * Converts the error of a `fetch` to a `TransportError`. It checks codes, never classes, since every fetch has its own
 * classes. The original message is kept in `cause`, without the request's secrets.
 *
 * @example
 * ```ts
 * const transport: Transport = request =>
 *   send(request).pipe(catchError(error => throwError(() => explainFailure(error, request))));
 * ```
 */
export function explainFailure(error: unknown, request: TransportRequest): TransportError {
  if (isOwnError(error) && isTransportError(error)) return error;
  const summary = summaryOf(request);
  const failure = Object(error) as FetchFailure;
  const found = readOr(undefined, () => codeOf(error));
  const code = found && redact(found, secretsOf(request)).slice(0, 100);
  const message = textOf(readOr(undefined, () => failure.message) ?? error);
  const isUnreachable =
    readOr(false, () => isUnconnected(error)) ||
    (code === undefined && message.includes(UNREACHABLE_MESSAGE));
  const causeMessage = redact(message, secretsOf(request)).slice(0, 300);
  return new TransportError(
    isUnreachable ? 'unreachable' : 'lost',
    `${isUnreachable ? 'the service cannot be reached' : 'the connection was lost'}${code ? `: ${code}` : ''}`,
    summary,
    { cause: Object.assign(new Error(causeMessage), code !== undefined && { code }) },
  );
}

/** What is read of an error, or the fallback: anything can be thrown, even what throws when it is read. */
function readOr<T>(fallback: T, read: () => T): T {
  try {
    return read();
  } catch {
    return fallback;
  }
}

interface FetchFailure {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  /** Those of an AggregateError: Node has tried several addresses. */
  readonly errors?: unknown;
}

/** The first code in an error, its causes and the errors that it combines. */
function codeOf(error: unknown, depth = 0): string | undefined {
  if (depth > MAX_DEPTH || typeof error !== 'object' || error === null) return undefined;
  const { code } = error as FetchFailure;
  if (typeof code === 'string') return code;
  const { cause, errors } = error as FetchFailure;
  const combined: unknown = Array.isArray(errors) ? errors[0] : undefined;
  return codeOf(cause, depth + 1) ?? codeOf(combined, depth + 1);
}

/** Causes may be cyclic. */
const MAX_DEPTH = 5;
