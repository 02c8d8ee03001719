/** A proxy that names itself in its answers. The page “Behind your proxy” has a row for each. */
export interface KnownProxy {
  readonly name: string;
  /** The setting with which it waits longer. `undefined` if it was never seen to end a poll. */
  readonly waits?: string;
  /** The setting with which it passes a token on. `undefined` if it does so by default. */
  readonly passesTokens?: string;
}

/** The known proxies, by the beginning of the header `Server`. */
const SERVERS: readonly (readonly [server: RegExp, proxy: KnownProxy])[] = [
  [/^nginx/i, { name: 'nginx', waits: 'proxy_read_timeout 75s' }],
  [/^apache/i, { name: 'Apache', waits: 'ProxyTimeout 75' }],
  [/^caddy/i, { name: 'Caddy' }],
  [/^varnish/i, { name: 'Varnish', waits: '.first_byte_timeout = 75s' }],
  [
    /^ats\//i,
    {
      name: 'Traffic Server',
      waits: 'proxy.config.http.transaction_no_activity_timeout_out INT 75',
    },
  ],
  [/^h2o/i, { name: 'h2o', waits: 'proxy.timeout.io: 75000' }],
  [/^lighttpd/i, { name: 'lighttpd' }],
  [/^nghttpx/i, { name: 'nghttpx', waits: '--backend-read-timeout=75s' }],
  [/^squid/i, { name: 'squid', passesTokens: 'login=PASSTHRU' }],
];

const HAPROXY: KnownProxy = { name: 'HAProxy', waits: 'timeout server 75s' };

/** HAProxy sends no header `Server`. It is known by the text of its error pages. */
const PAGES_OF_HAPROXY =
  /The server didn't respond in time\.|No server is available to handle this request\.|The server returned an invalid or incomplete response\./;

/**
 * The proxy that has answered, or has passed an answer on. `undefined` if the answer does not name
 * a known proxy.
 */
export function knownProxy(
  headers: { get(name: string): string | null },
  text: string,
): KnownProxy | undefined {
  if (text.length < 1_000 && PAGES_OF_HAPROXY.test(text)) return HAPROXY;
  const server = headers.get('server') ?? '';
  // Examples: `1.1 name (squid/5.7)`, `1.1 varnish (Varnish/7.1)`, `1.1 nghttpx`.
  const via = /\b(?:squid|varnish|nghttpx)\b/i.exec(headers.get('via') ?? '')?.[0] ?? '';
  return SERVERS.find(([pattern]) => pattern.test(server) || pattern.test(via))?.[1];
}

const PAGE = 'see “Behind your proxy”, docs/proxies.md';

/** The advice for a proxy that ends polls. */
export function letItWait(proxy: KnownProxy | undefined): string {
  return proxy?.waits === undefined
    ? `let every proxy wait for 75 s: proxy_read_timeout 75s in nginx, timeout server 75s in HAProxy; ${PAGE}`
    : `let ${proxy.name} wait for 75 s: ${proxy.waits}; ${PAGE}`;
}

/** The advice for a token that does not reach the service. */
export function letItPassTokens(proxy: KnownProxy | undefined): string {
  const check = 'check LOBBY_RX_TOKEN: whose token it is, and whether it has expired';
  return proxy?.passesTokens === undefined
    ? `${check}; if it is right, a proxy removes Authorization; ${PAGE}`
    : `${proxy.name} removes Authorization without ${proxy.passesTokens}: set that. If it is set, ${check}`;
}
