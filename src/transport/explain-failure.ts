import { isTransportError, redact, textOf, TransportError } from '../error/index.js';
import { secretsOf, summaryOf, type TransportRequest } from './transport.js';

/**
 * Codes of errors after which the server cannot have seen the request, since no connection was made: those of Node, undici and
 * Bun.
 */
const UNREACHABLE =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EADDRNOTAVAIL|EHOSTUNREACH|ENETUNREACH|CERT_.*|ERR_TLS_.*|.*_CERT.*|UNABLE_TO_.*|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$/;

/** Deno has no code, only a message. */
const UNREACHABLE_MESSAGE = 'client error (Connect)';

/**
 * Converts the error of a `fetch` to a `TransportError`. It checks codes, never classes, since every fetch has its own
 * classes. The original message is kept in `cause`, without the request's secrets.
 */
export function explainFailure(error: unknown, request: TransportRequest): TransportError {
  if (isTransportError(error)) return error;
  const summary = summaryOf(request);
  const { type, message = error } = Object(error) as FetchFailure;
  if (type === 'max-size') {
    return new TransportError('too_large', 'the answer is larger than maxBody', summary);
  }
  const code = codeOf(error);
  const unreachable =
    code === undefined ? textOf(message).includes(UNREACHABLE_MESSAGE) : UNREACHABLE.test(code);
  const causeMessage = redact(textOf(message), secretsOf(request)).slice(0, 300);
  return new TransportError(
    unreachable ? 'unreachable' : 'lost',
    unreachable
      ? `the service cannot be reached${code ? `: ${code}` : ''}`
      : `the connection was lost${code ? `: ${code}` : ''}`,
    summary,
    { cause: Object.assign(new Error(causeMessage), code !== undefined && { code }) },
  );
}

interface FetchFailure {
  readonly type?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  /** Those of an AggregateError: Node has tried several addresses. */
  readonly errors?: unknown;
}

/** The first code in an error, its causes and the errors that it combines. */
function codeOf(error: unknown, depth = 0): string | undefined {
  if (depth > MAX_DEPTH || typeof error !== 'object' || error === null) return undefined;
  const { code, cause, errors } = error as FetchFailure;
  if (typeof code === 'string') return code;
  const combined: unknown = Array.isArray(errors) ? errors[0] : undefined;
  return codeOf(cause, depth + 1) ?? codeOf(combined, depth + 1);
}

/** Causes may be cyclic. */
const MAX_DEPTH = 5;
