import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert';
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { ProxyAgent } from 'proxy-agent';
import { firstValueFrom, Subject, takeUntil } from 'rxjs';
import { createClient, isStatusError, isTransportError, type WatchStatus } from 'lobby-rx';
import { createEmulator, listen, type EmulatorServer } from 'lobby-rx/emulator';
import { fromHttp } from 'lobby-rx/node';
import { freePort } from '../free-port.js';
import { lobbyJoin } from '../payload.js';
import { waitUntil } from '../wait-until.js';

if (spawnSync('squid', ['-v']).error) {
  console.error('squid was not found: apt-get install squid');
  process.exit(2);
}

const NAMES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'] as const;

describe('the variables of a proxy, with squid', () => {
  const folder = mkdtempSync(join(tmpdir(), 'squid-'));
  const file = (name: string) => join(folder, name);
  const log = () => (existsSync(file('access.log')) ? readFileSync(file('access.log'), 'utf8') : '');
  const emulator = createEmulator();
  const { identity_id, token } = emulator.addIdentity();
  const front = { url: '', ca: '', close: () => undefined as unknown };
  let service: EmulatorServer;
  let squid: ChildProcess;
  let proxy: string;

  before(async () => {
    service = await listen(emulator);
    const [key, cert] = [file('key.pem'), file('cert.pem')];
    const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    execFileSync('openssl', [...request, '-keyout', key, '-out', cert, ...names], { stdio: 'ignore' });
    front.ca = readFileSync(cert, 'utf8');
    const { port } = new URL(service.url);
    const server = createTlsServer({ key: readFileSync(key), cert: front.ca }, socket => {
      const behind = connect(Number(port), '127.0.0.1');
      socket.pipe(behind).pipe(socket);
      for (const each of [socket, behind]) each.on('error', () => [socket.destroy(), behind.destroy()]);
    }).listen(0, '127.0.0.1');
    await waitUntil(() => server.listening);
    front.url = `https://localhost:${(server.address() as AddressInfo).port}`;
    front.close = () => server.close();

    const listening = await freePort();
    proxy = `http://127.0.0.1:${listening}`;
    chmodSync(folder, 0o777);
    writeFileSync(
      file('squid.conf'),
      [
        `http_port 127.0.0.1:${listening}`,
        'acl forbidden dstdomain forbidden.localhost',
        'http_access deny forbidden',
        'http_access allow localhost',
        'http_access deny all',
        `access_log stdio:${file('access.log')}`,
        'cache deny all',
        'cache_log /dev/null',
        'pid_filename none',
        'shutdown_lifetime 0 seconds',
        'hosts_file /etc/hosts',
        'pinger_enable off',
        'logfile_rotate 0',
        `coredump_dir ${folder}`,
      ].join('\n'),
    );
    squid = spawn('squid', ['-N', '-f', file('squid.conf')], { stdio: 'ignore' });
    await waitUntil(
      () =>
        new Promise<boolean>(resolve => {
          const socket = connect(listening, '127.0.0.1', () => {
            socket.destroy();
            resolve(true);
          });
          socket.on('error', () => resolve(false));
        }),
    );
  });
  after(async () => {
    squid.kill('SIGKILL');
    front.close();
    await service.close();
    rmSync(folder, { recursive: true });
  });
  afterEach(() => {
    for (const name of NAMES) Reflect.deleteProperty(process.env, name);
    writeFileSync(file('access.log'), '');
  });

  const clientOf = (url: string, config = {}) =>
    createClient({ url, token, transport: fromHttp({ agent: new ProxyAgent({ ca: front.ca }) }), ...config });

  it('HTTPS_PROXY: requests and watches go through a tunnel of it, which sees no token', async () => {
    process.env.HTTPS_PROXY = proxy;
    const client = clientOf(front.url);
    const end$ = new Subject<void>();
    const lobbies: string[] = [];
    const states: string[] = [];
    client.events.feed.status$.pipe(takeUntil(end$)).subscribe(({ state }) => states.push(state));
    client.events.feed.lobbyJoin$
      .pipe(takeUntil(end$))
      .subscribe(({ lobby }) => lobbies.push(lobby.lobby_id));
    await waitUntil(() => states.includes('live'));
    for (const lobby_id of ['a', 'b']) {
      const payload = { ...lobbyJoin, lobby: { ...lobbyJoin.lobby, lobby_id } };
      emulator.publish(identity_id, { matchmaker_lobby_join: payload });
      await waitUntil(() => lobbies.includes(lobby_id));
    }
    end$.next();
    deepStrictEqual(lobbies, ['a', 'b']);
    await waitUntil(() => log().includes('CONNECT localhost:'));
    doesNotMatch(log(), new RegExp(token));
  });

  it('HTTP_PROXY: the same without TLS', async () => {
    process.env.HTTP_PROXY = proxy;
    ok((await firstValueFrom(clientOf(service.url).events.watch())).watch.index);
    await waitUntil(() => log().includes(`GET ${service.url}/`));
  });

  it('NO_PROXY: what is named there is reached directly', async () => {
    Object.assign(process.env, { HTTPS_PROXY: proxy, NO_PROXY: 'localhost' });
    ok((await firstValueFrom(clientOf(front.url).events.watch())).watch.index);
    strictEqual(log(), '');
  });

  it('without them: directly', async () => {
    ok((await firstValueFrom(clientOf(front.url).events.watch())).watch.index);
    strictEqual(log(), '');
  });

  it('that refuses is no service: its answer is an error of a single request, and a watch goes on', async () => {
    process.env.HTTP_PROXY = proxy;
    const client = clientOf('http://forbidden.localhost:1', { insecure: true });
    const error = await firstValueFrom(client.events.watch()).catch((e: unknown) => e);
    ok(isStatusError(error), String(error));
    strictEqual(error.status, 403);
    strictEqual(error.code, undefined);
    const end$ = new Subject<void>();
    const statuses: WatchStatus[] = [];
    client.events.feed.status$.pipe(takeUntil(end$)).subscribe(status => statuses.push(status));
    client.events.feed.all$.pipe(takeUntil(end$)).subscribe();
    await waitUntil(() => statuses.some(({ state }) => state === 'retrying'));
    end$.next();
    match(String(statuses.at(-1)?.hint), /is the URL right/);
  });

  it('that is not there: nothing was sent', async () => {
    process.env.HTTPS_PROXY = `http://127.0.0.1:${await freePort()}`;
    const error = await firstValueFrom(clientOf(front.url).events.watch()).catch((e: unknown) => e);
    ok(isTransportError(error), String(error));
    strictEqual(error.reason, 'unreachable');
  });
});
