import { match, strictEqual } from 'node:assert';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmulator, listen, type EmulatorServer } from 'lobby-rx/emulator';
import { lobbyRx } from './lobby-rx.js';

for (const name of ['nginx', 'haproxy']) {
  if (spawnSync(name, ['-v']).error) {
    console.error(`${name} was not found: apt-get install nginx-light haproxy`);
    process.exit(2);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

async function whenOpen(port: number, attempts = 100): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
  } catch (error) {
    if (attempts === 0) throw error;
    await new Promise(resolve => setTimeout(resolve, 50));
    await whenOpen(port, attempts - 1);
  } finally {
    socket.destroy();
  }
}

describe('doctor, through a proxy with bad settings', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lobby-rx-doctor-'));
  const emulator = createEmulator({ blockTime: 6_000 });
  const { token } = emulator.addIdentity();
  let service: EmulatorServer;
  let proxy: ChildProcess | undefined;
  let port: number;
  before(async () => (service = await listen(emulator)));
  beforeEach(async () => (port = await freePort()));
  afterEach(async () => {
    if (proxy?.exitCode === null) {
      proxy.kill('SIGTERM');
      await once(proxy, 'exit');
    }
  });
  after(async () => {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = async (program: string, args: readonly string[], settings: string) => {
    const file = join(folder, `${program}.conf`);
    writeFileSync(file, settings);
    proxy = spawn(program, [...args, file], { stdio: ['ignore', 'ignore', 'inherit'] });
    await whenOpen(port);
  };
  const nginx = (location: string, more = '') =>
    run(
      'nginx',
      ['-e', 'stderr', '-c'],
      `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr crit;
events {}
http {
  access_log off; client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
  uwsgi_temp_path ${folder}; scgi_temp_path ${folder}; ${more}
  upstream lobby { server ${new URL(service.url).host}; }
  server { listen 127.0.0.1:${port}; ${location} }
}`,
    );
  const haproxy = (backend: string, timeouts = 'timeout server 75s') =>
    run(
      'haproxy',
      ['-q', '-f'],
      `defaults
  mode http
  timeout connect 5s
  timeout client 75s
  ${timeouts}
frontend front
  bind 127.0.0.1:${port}
  default_backend lobby
backend lobby
  ${backend}
  server one ${new URL(service.url).host}
`,
    );
  const examined = async (...args: string[]) => {
    const { out } = await lobbyRx(['doctor', '--url', `http://127.0.0.1:${port}`, ...args], {
      env: { LOBBY_TOKEN: token },
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
      /^service: is not at this URL \(404\) → use http:\/\/127\.0\.0\.1:\d+\/api as the URL/,
    ],
    [
      'nginx removes the query',
      () => nginx('location / { proxy_pass http://lobby/identity/events/live?; }'),
      /^poll: polls are answered at once .* removes the query/,
    ],
    [
      'nginx redirects',
      () => nginx('location / { return 301 https://lobby.example$request_uri; }'),
      /^service: is a redirect \(301\).* → use https:\/\/lobby\.example as the URL/,
    ],
    [
      'nginx wants a password',
      () =>
        nginx(`location / { auth_basic "x"; auth_basic_user_file ${folder}/none; proxy_pass http://lobby; }`),
      /^service: something before it wants to know who you are \(401\)/,
    ],
    [
      'nginx refuses preflights',
      () => nginx('location / { if ($request_method = OPTIONS) { return 405; } proxy_pass http://lobby; }'),
      /^cors: a preflight is answered with 405/,
    ],
    [
      'nginx has no service behind it',
      () => nginx('location / { proxy_pass http://127.0.0.1:9; }'),
      /^service: a proxy answers, and not the service \(502\)/,
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
      /^headers: there is no rvt-ray-id/,
    ],
    [
      'nginx caches',
      () =>
        nginx(
          'location / { proxy_pass http://lobby; proxy_cache c; proxy_cache_valid 200 1m; proxy_ignore_headers Cache-Control Vary; proxy_cache_key $uri; }',
          `proxy_cache_path ${folder}/cache keys_zone=c:1m;`,
        ),
      /./,
    ],
  ] satisfies readonly (readonly [string, () => Promise<void>, RegExp])[])
    it(`finds that ${title}`, async () => {
      await start();
      match((await examined('--origin', 'https://game.example')).join('\n'), expected);
    }).timeout(30_000);
});
