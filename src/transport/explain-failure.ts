import { TimeoutError } from 'rxjs';
import { isTransportError, redact, TransportError } from '../error/index.js';
import { secretsOf, summaryOf, type TransportRequest } from './transport.js';

/** Node's error codes for a connection that was never made: the server cannot have seen the request. */
const UNREACHABLE =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CERT_.*|ERR_TLS_.*|.*_CERT.*|UNABLE_TO_.*)$/;

/**
 * Converts the error of a `fetch` to a `TransportError`. It checks codes, never classes, since every fetch has its own
 * classes. The original message is kept in `cause`, without the request's secrets.
 */
export function explainFailure(error: unknown, request: TransportRequest): TransportError {
  if (isTransportError(error)) return error;
  const summary = summaryOf(request);
  if (error instanceof TimeoutError)
    return new TransportError('lost', 'the body of the answer stalled', summary);
  const { type, message = error } = Object(error) as FetchFailure;
  if (type === 'max-size') {
    return new TransportError('too_large', 'the answer is larger than maxBody', summary);
  }
  const code = codeOf(error);
  const unreachable = code !== undefined && UNREACHABLE.test(code);
  const causeMessage = redact(textOf(message), secretsOf(request)).slice(0, 300);
  return new TransportError(
    unreachable ? 'unreachable' : 'lost',
    unreachable
      ? `the service cannot be reached: ${code}`
      : `the connection was lost${code ? `: ${code}` : ''}`,
    summary,
    { cause: Object.assign(new Error(causeMessage), code !== undefined && { code }) },
  );
}

/** Anything can be thrown, even what has no text. */
function textOf(message: unknown): string {
  try {
    return String(message);
  } catch {
    return typeof message;
  }
}

interface FetchFailure {
  readonly type?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly cause?: { readonly code?: unknown };
}

function codeOf(error: unknown): string | undefined {
  const { code, cause } = Object(error) as FetchFailure;
  const found = code ?? cause?.code;
  return typeof found === 'string' ? found : undefined;
}
