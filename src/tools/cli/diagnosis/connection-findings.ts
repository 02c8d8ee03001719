import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { asyncScheduler, catchError, Observable, of, timeout, type SchedulerLike } from 'rxjs';
import { final, ok, problem, warning, type Finding } from './finding.js';

/** How long a connection may take, in ms. */
const PATIENCE = 10_000;
const DAY = 86_400_000;
/** Certificates are renewed a month before their end. */
const RENEWED_BEFORE = 14 * DAY;

/** What the codes of Node mean, and what to do. */
const FAILURES: Readonly<Record<string, readonly [text: string, advice: string]>> = {
  ENOTFOUND: ['no address is known for this name', 'check the URL, and DNS'],
  EAI_AGAIN: ['the DNS server does not answer', 'check the network of this machine'],
  ECONNREFUSED: ['nothing listens on this port', 'check the port of the URL, and whether the service runs'],
  EHOSTUNREACH: ['no route leads to this address', 'check the network, and firewalls'],
  ENETUNREACH: ['no route leads to this address', 'check the network, and firewalls'],
  ECONNRESET: ['the connection was reset at once', 'check firewalls, and whether the port speaks TLS'],
  CERT_HAS_EXPIRED: ['the certificate has expired', 'renew it'],
  CERT_NOT_YET_VALID: ['the certificate is not valid yet', 'check the clock of this machine'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['the certificate is for another name', 'use the name that it is for'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['the certificate is signed by itself', 'set NODE_EXTRA_CA_CERTS to its file'],
  SELF_SIGNED_CERT_IN_CHAIN: [
    'the certificate is of an unknown authority',
    'set NODE_EXTRA_CA_CERTS to its file',
  ],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [
    'the chain of certificates is incomplete',
    'send the intermediate ones, too',
  ],
  ERR_SSL_WRONG_VERSION_NUMBER: ['this port does not speak TLS', 'check the port; or is it http:?'],
};

/** Says if the variables of a proxy are set, since lobby-rx does not read them. */
export function proxyFindings(
  url: URL,
  env: Readonly<Record<string, string | undefined>>,
): readonly Finding[] {
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  if (!env[name] && !env[name.toLowerCase()]) return [];
  const text = `${name} is set, and lobby-rx does not use it unless it is given a transport that does`;
  return [warning('proxy', text, 'see “Behind a proxy” in docs/transport.md')];
}

/** Opens a connection, and closes it: the address of a name, and the certificate. */
export function connectionFindings(url: URL, scheduler: SchedulerLike = asyncScheduler): Observable<Finding> {
  const { hostname, protocol, port } = url;
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const isTls = protocol === 'https:';
  return new Observable<Finding>(subscriber => {
    const to = { host, port: Number(port) || (isTls ? 443 : 80) };
    const socket: Socket = isTls
      ? connectTls({ ...to, ...(!isIP(host) && { servername: host }) })
      : connectPlain(to);
    socket.on(isTls ? 'secureConnect' : 'connect', () => {
      subscriber.next(ok('connection', `${host} is ${socket.remoteAddress}, port ${to.port}`));
      if (socket instanceof TLSSocket) subscriber.next(certificate(socket));
      subscriber.complete();
    });
    socket.on('error', ({ code = 'an error without a code' }: NodeJS.ErrnoException) => {
      const [text, advice] = FAILURES[code] ?? ['no connection can be made', 'look up the code'];
      subscriber.next(final(problem('connection', `${host}, port ${to.port}: ${text} (${code})`, advice)));
      subscriber.complete();
    });
    return () => socket.destroy();
  }).pipe(
    timeout(PATIENCE, scheduler),
    // Nothing else fails.
    catchError(() => {
      const text = `${host}: no connection within ${PATIENCE / 1_000} s`;
      return of(final(problem('connection', text, 'check the network, and firewalls')));
    }),
  );
}

function certificate(socket: TLSSocket): Finding {
  const end = Date.parse(socket.getPeerCertificate().valid_to);
  const text = `${socket.getProtocol()}, and the certificate is valid for ${Math.floor((end - Date.now()) / DAY)} days`;
  return end - Date.now() < RENEWED_BEFORE ? warning('tls', text, 'renew it') : ok('tls', text);
}
