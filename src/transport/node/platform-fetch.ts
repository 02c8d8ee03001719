import { causeOf, MAX_CAUSES } from '../../error/index.js';
import type { Send, Unsent } from '../send.js';
import { sharedAgents } from './agents.js';
import { sendByCrossFetch } from './send-by-cross-fetch.js';
import { sendByHttp } from './send-by-http.js';
import { sendInDeno } from './send-in-deno.js';

/** Makes what sends in Node, and in the runtimes that load the files for Node: Bun and Deno. */
export function platformFetch(): Send {
  // The `fetch` of Bun 1.4.5 has 256 requests open at most. All others wait, also a POST.
  if ('bun' in process.versions) return sendByHttp(sharedAgents());
  // The `node:http` of Deno 2.9.6 leaves aborted requests open.
  if ('deno' in process.versions) return sendInDeno;
  return sendByCrossFetch(sharedAgents());
}

/** Why a request was not sent: for want of a permission of Node's, or of a connection. */
export function whyUnsent(error: unknown, code: string | undefined): Unsent | undefined {
  if (code === 'ERR_ACCESS_DENIED')
    return { reason: 'not_sent', what: 'nothing was sent: start Node with --allow-net' };
  return isUnconnected(error) ? { reason: 'unreachable', what: 'the service cannot be reached' } : undefined;
}

/**
 * Codes of errors before any connection was made, after which the server cannot have seen the
 * request: those of Node, its DNS client, undici and Bun.
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

/** Where Deno failed, which gives no code. */
const CONNECTING_IN_DENO = 'client error (Connect)';

/**
 * Whether an error, its cause, or all of the errors that it combines say that no connection was
 * made.
 */
function isUnconnected(error: unknown, depth = 0): boolean {
  if (depth > MAX_CAUSES || typeof error !== 'object' || error === null) return false;
  const { code, syscall, errors } = error as Readonly<Record<string, unknown>>;
  if (Array.isArray(errors) && errors.length > 0) return errors.every(each => isUnconnected(each, depth + 1));
  if (typeof syscall === 'string' && CONNECTING.test(syscall)) return true;
  if (typeof code !== 'string')
    return (
      isUnconnected(causeOf(error), depth + 1) ||
      String((error as { readonly message?: unknown }).message).includes(CONNECTING_IN_DENO)
    );
  return UNREACHABLE.test(code) && !(typeof syscall === 'string' && CONNECTED.test(syscall));
}
