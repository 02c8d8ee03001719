import { problem, warning, type Finding } from './finding.js';

/** The meaning of the error codes of Node, and the advice for each. */
const FAILURES: Readonly<Record<string, readonly [text: string, advice: string]>> = {
  UND_ERR_CONNECT_TIMEOUT: ['no connection within 10 s', 'check the network, and firewalls'],
  ENOTFOUND: ['no address is known for this name', 'check the URL, and DNS'],
  EAI_AGAIN: ['the DNS server does not answer', 'check the network of this machine'],
  ECONNREFUSED: ['nothing listens on this port', 'check the port of the URL, and whether the server runs'],
  EHOSTUNREACH: ['no route leads to this address', 'check the network, and firewalls'],
  ENETUNREACH: ['no route leads to this address', 'check the network, and firewalls'],
  ECONNRESET: ['the connection was reset at once', 'check firewalls, and whether the port speaks TLS'],
  CERT_HAS_EXPIRED: ['the certificate has expired', 'renew it'],
  CERT_NOT_YET_VALID: ['the certificate is not valid yet', 'check the clock of this machine'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['the certificate is for another name', 'use the name that it is for'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['the certificate is signed by itself', 'set NODE_EXTRA_CA_CERTS to its file'],
  SELF_SIGNED_CERT_IN_CHAIN: [
    'the certificate comes from an unknown authority',
    'set NODE_EXTRA_CA_CERTS to its file',
  ],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [
    'the chain of certificates is incomplete',
    'let the server send the intermediate ones, too',
  ],
  EPROTO: ['no TLS connection could be made', 'does the port speak TLS? if not, use ws: or http:'],
  ERR_SSL_WRONG_VERSION_NUMBER: ['this port does not speak TLS', 'check the port; or is it http:?'],
};

/** Warns if the variables of a proxy are set, because lobby-rx does not read them. */
export function proxyFindings(
  url: URL,
  env: Readonly<Record<string, string | undefined>>,
): readonly Finding[] {
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  if (!env[name] && !env[name.toLowerCase()]) return [];
  const text = `${name} is set, and lobby-rx does not use it without a transport that does`;
  return [warning('proxy', text, 'see “Behind a proxy” in docs/transport.md')];
}

/**
 * The finding for an error of fetch, or of a WebSocket. The connection failed, or the answer could
 * not be read.
 */
export function connectionProblem(error: unknown, whose: 'service' | 'lobby' = 'service'): Finding {
  const { name, cause } = error as Error & { readonly cause?: { readonly code?: string } };
  const code = cause?.code;
  const known = code === undefined ? undefined : FAILURES[code];
  if (known) return problem('connection', `${known[0]} (${code})`, known[1]);
  // The error codes of Node's parser of HTTP.
  if (code?.startsWith('HPE_'))
    return problem('connection', `this port does not speak HTTP (${code})`, 'check the port of the URL');
  // The error codes of zlib.
  if (code?.startsWith('Z_') || code?.startsWith('ERR_BROTLI'))
    return problem(whose, `its answer cannot be decompressed (${code})`, LEAVE_BODIES);
  const ended =
    name === 'TimeoutError'
      ? 'accepts connections, and does not answer'
      : `ends the connection (${code ?? name})`;
  return problem(whose, ended, 'see whether it runs, and whether the port is its own');
}

export const LEAVE_BODIES = 'let a proxy leave bodies, and Content-Encoding, as they are';
