import { isTransportError, redact, textOf, TransportError } from '../error/index.js';
import { secretsOf, summaryOf, type TransportRequest } from './transport.js';

/**
 * Codes of errors before any connection was made, after which the server cannot have seen the request: those of Node, its DNS
 * client, undici and Bun.
 */
const UNREACHABLE = new RegExp(
  `^(${[
    'EAI_.*|ENOTFOUND|ENODATA|ENONAME|ENOTIMP|EFORMERR|ESERVFAIL|EREFUSED|EBAD(QUERY|NAME|FAMILY|RESP|STR|FLAGS|HINTS)',
    'ETIMEOUT|ECANCELLED|EFILE|EDESTRUCTION|ENOTINITIALIZED|ELOADIPHLPAPI|EADDRGETNETWORKPARAMS',
    'ERR_INVALID_IP_ADDRESS|ERR_INVALID_ADDRESS_FAMILY',
    'EMFILE|ENFILE|EADDRINUSE|EADDRNOTAVAIL|EAFNOSUPPORT|EHOSTUNREACH|ENETUNREACH|ECONNREFUSED',
    'ERR_SOCKET_CONNECTION_TIMEOUT|UND_ERR_CONNECT_TIMEOUT|ERR_PROXY_TUNNEL|ConnectionRefused|FailedToOpenSocket',
    'CERT_.*|CRL_.*|ERR_TLS_.*|.*_CERT.*|UNABLE_TO_.*|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED',
  ].join('|')})$`,
);

/** Where Node failed, if that was before a connection: any code will do then, even `ETIMEDOUT`. */
const CONNECTING = /^(getaddrinfo|query[A-Z]\w*|bind|connect)$/;

/** Where Node failed, if that was on a connection, which a router may call unreachable later. */
const CONNECTED = /^(read|write|shutdown)$/;

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
  if (isTransportError(error)) return error;
  const summary = summaryOf(request);
  const failure = Object(error) as FetchFailure;
  const code = readOr(undefined, () => codeOf(error));
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
  readonly syscall?: unknown;
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

/** Whether an error, its cause, or all of the errors that it combines say that no connection was made. */
function isUnconnected(error: unknown, depth = 0): boolean {
  if (depth > MAX_DEPTH || typeof error !== 'object' || error === null) return false;
  const { code, syscall, errors } = error as FetchFailure;
  if (Array.isArray(errors) && errors.length > 0) return errors.every(each => isUnconnected(each, depth + 1));
  if (typeof syscall === 'string' && CONNECTING.test(syscall)) return true;
  if (typeof code !== 'string') return isUnconnected((error as FetchFailure).cause, depth + 1);
  return UNREACHABLE.test(code) && !(typeof syscall === 'string' && CONNECTED.test(syscall));
}

/** Causes may be cyclic. */
const MAX_DEPTH = 5;
