import { TimeoutError } from 'rxjs';
import { isTransportError, redact, TransportError } from '../protocol/index.js';
import { secretsOf } from './secrets-of.js';
import { summaryOf } from './summary-of.js';
import type { TransportRequest } from './transport.js';

/** Node's names for "no connection was made": the server cannot have seen the request. */
const UNREACHABLE =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CERT_.*|ERR_TLS_.*|.*_CERT.*|UNABLE_TO_.*)$/;

/**
 * What a `fetch` rejected with, as a `TransportError`. Told by code, never by class, since every fetch has its own; and
 * its words are taken over only after the request's secrets are out of them.
 */
export function explainFailure(error: unknown, request: TransportRequest): TransportError {
  if (isTransportError(error)) return error;
  const summary = summaryOf(request);
  if (error instanceof TimeoutError)
    return new TransportError('lost', 'the body of the answer stalled', summary);
  const { type, message = error } = Object(error) as Fault;
  if (type === 'max-size') {
    return new TransportError('too_large', 'the answer is larger than maxBody', summary);
  }
  const code = codeOf(error);
  const unreachable = code !== undefined && UNREACHABLE.test(code);
  const words = redact(String(message), secretsOf(request)).slice(0, 300);
  return new TransportError(
    unreachable ? 'unreachable' : 'lost',
    unreachable
      ? `the service cannot be reached: ${code}`
      : `the connection was lost${code ? `: ${code}` : ''}`,
    summary,
    { cause: Object.assign(new Error(words), code !== undefined && { code }) },
  );
}

interface Fault {
  readonly type?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly cause?: { readonly code?: unknown };
}

function codeOf(error: unknown): string | undefined {
  const { code, cause } = Object(error) as Fault;
  const found = code ?? cause?.code;
  return typeof found === 'string' ? found : undefined;
}
