import { match, strictEqual } from 'node:assert';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEmulator, listen, type EmulatorServer } from 'lobby-rx/emulator';
import {
  openApache,
  openH2o,
  openHaproxy,
  openNginx,
  openSquid,
  openVarnish,
  type RealProxy,
} from '../../real-proxy.js';
import { waitUntil } from '../../wait-until.js';
import { lobbyRx } from './lobby-rx.js';

describe('doctor, through a proxy with bad settings', () => {
  const emulator = createEmulator({ blockTime: 6_000 });
  const { token } = emulator.addIdentity();
  let service: EmulatorServer;
  let proxy: RealProxy;
  before(async () => {
    service = await listen(emulator);
  });
  afterEach(() => proxy.close());
  after(() => service.close());

  const nginx = async (location: string, more?: string) => {
    proxy = await openNginx(new URL(service.url).host, location, more);
  };
  const haproxy = async (backend: string, timeouts?: string) => {
    proxy = await openHaproxy(new URL(service.url).host, backend, timeouts);
  };
  const behind = async (open: (settings: string) => Promise<RealProxy>, settings: string) => {
    const { host, port } = new URL(service.url);
    proxy = await open(settings.replace('SERVICE', host).replace('PORT', port));
  };
  const examined = async (...args: string[]) => {
    const { out } = await lobbyRx(['doctor', '--url', `http://127.0.0.1:${proxy.port}`, ...args], {
      env: { LOBBY_RX_TOKEN: token },
    }).exited;
    const findings = out
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as { level: string; check: string; text: string; advice?: string });
    return findings
      .filter(({ level }) => level !== 'ok')
      .map(({ check, text, advice }) => `${check}: ${text} → ${advice}`);
  };

  it('finds nothing if they are right', async () => {
    await nginx('location / { proxy_pass http://lobby; proxy_read_timeout 75s; proxy_http_version 1.1; }');
    strictEqual((await examined('--origin', 'https://game.example')).join('\n'), '');
  }).timeout(30_000);

  it('finds none in HAProxy, either', async () => {
    await haproxy('');
    strictEqual((await examined()).join('\n'), '');
  }).timeout(30_000);

  for (const [title, start, expected] of [
    [
      'nginx ends polls',
      () => nginx('location / { proxy_pass http://lobby; proxy_read_timeout 2s; }'),
      /^poll: a proxy ended it after 2\.\d s \(504\) → .*proxy_read_timeout 75s/,
    ],
    [
      'HAProxy ends polls',
      () => haproxy('', 'timeout server 2s'),
      /^poll: a proxy ended it after 2\.\d s \(504\) → .*timeout server 75s/,
    ],
    [
      'nginx has it below another path',
      () => nginx('location /api/ { proxy_pass http://lobby/; }'),
      /^service: is not at this URL \(404\) → the URL is what comes before/,
    ],
    [
      'nginx removes the query',
      () => nginx('location / { proxy_pass http://lobby/identity/events/live?; }'),
      /^poll: polls are answered at once .* removes the query/,
    ],
    [
      'nginx redirects',
      () => nginx('location / { return 301 https://lobby.example$request_uri; }'),
      /^service: is a redirect \(301\) to https:\/\/lobby\.example\S+, where the service does not answer/,
    ],
    [
      'nginx wants a password',
      () =>
        nginx(`location / { auth_basic "x"; auth_basic_user_file FOLDER/none; proxy_pass http://lobby; }`),
      /^service: a proxy in front of it wants a login \(401\)/,
    ],
    [
      'nginx refuses preflights',
      () => nginx('location / { if ($request_method = OPTIONS) { return 405; } proxy_pass http://lobby; }'),
      /^cors: a preflight is answered with 405/,
    ],
    [
      'nginx has no service behind it',
      () => nginx('location / { proxy_pass http://127.0.0.1:9; }'),
      /^service: nginx answers, and not the service \(502\)/,
    ],
    [
      'HAProxy denies',
      () => haproxy('http-request deny deny_status 429'),
      /^service: something limits the rate \(429\)/,
    ],
    [
      'HAProxy closes each connection',
      () => haproxy('', 'timeout server 75s\n  option httpclose'),
      /^headers: each request needs a new connection/,
    ],
    [
      'HAProxy removes ray ids',
      () => haproxy('http-response del-header rvt-ray-id'),
      /^service: seems to answer .* without the rvt-ray-id/,
    ],
    [
      'nginx caches what is for one caller',
      () =>
        nginx(
          'location / { proxy_pass http://lobby; proxy_cache c; proxy_cache_valid 200 1m; proxy_ignore_headers Cache-Control Vary; }',
          `proxy_cache_path FOLDER/cache keys_zone=c:1m;`,
        ),
      /^cache: gives one caller's answer to another.* → turn it off for the service, now/m,
    ],
    [
      'squid removes the token',
      () =>
        behind(
          openSquid,
          `http_port 80 accel defaultsite=api.example.com no-vhost
cache_peer 127.0.0.1 parent PORT 0 no-query originserver
http_access allow all`,
        ),
      /^token: .*, as it does without a token → squid removes Authorization without login=PASSTHRU/m,
    ],
    [
      'Apache ends polls',
      () => behind(openApache, 'ProxyTimeout 2\nProxyPass / http://SERVICE/'),
      /^poll: a proxy ended it after 2\.\d s \(502\) → let Apache wait for 75 s: ProxyTimeout 75/,
    ],
    [
      'Varnish ends polls',
      () =>
        behind(
          openVarnish,
          'vcl 4.1; backend b { .host = "127.0.0.1"; .port = "PORT"; .first_byte_timeout = 2s; } sub vcl_recv { return (pass); }',
        ),
      /^poll: a proxy ended it after 2\.\d s \(503\) → let Varnish wait for 75 s: \.first_byte_timeout = 75s/,
    ],
    [
      'h2o ends polls',
      () =>
        behind(
          openH2o,
          'hosts: { default: { paths: { /: { proxy.reverse.url: "http://SERVICE/", proxy.timeout.io: 2000 } } } }',
        ),
      /^poll: a proxy ended it after 2\.\d s \(502\) → let h2o wait for 75 s: proxy\.timeout\.io: 75000/,
    ],
  ] satisfies readonly (readonly [string, () => Promise<void>, RegExp])[])
    it(`finds that ${title}`, async () => {
      await start();
      match((await examined('--origin', 'https://game.example')).join('\n'), expected);
    }).timeout(30_000);

  it('finds that the machines behind a balancer have different clocks', async () => {
    const answered = { events: [], watch: { index: '' } };
    const replicas = [0, 3_000].map(behindBy =>
      createServer((request, response) => {
        const { authorization } = request.headers;
        const index = String(Date.now() - behindBy);
        const isPoll = request.url!.includes('watch_index');
        response.setHeader('rvt-ray-id', 'ray');
        if (authorization === undefined || isPoll) response.writeHead(401).end('{"code":"MISSING"}');
        else response.end(JSON.stringify({ ...answered, watch: { index } }));
      }).listen(0, '127.0.0.1'),
    );
    await waitUntil(() => replicas.every(({ listening }) => listening));
    const servers = replicas.map(replica => `server 127.0.0.1:${(replica.address() as AddressInfo).port};`);
    await nginx('location / { proxy_pass http://replicas; }', `upstream replicas { ${servers.join(' ')} }`);
    match(
      (await examined()).join('\n'),
      /^clocks: two machines of the service have clocks that are [23]\d\d\d ms apart or more: events are lost/m,
    );
    for (const replica of replicas) {
      replica.close();
      replica.closeAllConnections();
    }
  }).timeout(30_000);
});
