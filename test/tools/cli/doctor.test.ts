import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { inspect } from 'node:util';
import { catchError, EMPTY, firstValueFrom, lastValueFrom } from 'rxjs';
import { createClient, type LogEntry } from 'lobby-rx';
import { freePort } from '../../free-port.js';
import { waitUntil } from '../../wait-until.js';
import { called } from './called.js';
import { lobbyRx } from './lobby-rx.js';
import { useService } from './service.js';

interface Line {
  readonly check: string;
  readonly level: string;
}
const linesOf = (out: string) =>
  out
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as Line)
    .map(({ check, level }) => `${level} ${check}`);

describe('lobby-rx doctor', () => {
  const service = useService();

  it('prints its findings as JSON, and says by its exit code whether there is a problem', async () => {
    const { emulator, env } = service;
    emulator.fault({ kind: 'hot' }, { times: 30 });
    const args = ['doctor', '--origin', 'https://game.example'];
    const { code, out, err } = await lobbyRx(args, { env: env() }).exited;
    deepStrictEqual([code, err], [1, '']);
    const findings = ['ok service', 'ok cors', 'ok cors', 'ok token', 'ok clocks', 'problem poll'];
    deepStrictEqual(linesOf(out), findings);
    ok(emulator.requests.length <= 20, `${emulator.requests.length} requests`);
  });

  it('says what is at the URL of a lobby, without a token or a service', async () => {
    const { code, out } = await called(['doctor', '--lobby', `ws://127.0.0.1:${await freePort()}/play`]);
    deepStrictEqual([code, linesOf(out)], [3, ['problem connection']]);
  });

  it('and the log of a client have no tokens and no texts of players, for a bug report', async () => {
    const { emulator, world, server, env } = service;
    const { identityId, identityToken, groupId, friendIds } = world;
    emulator.updateProfile(identityId, { display_name: 'Ada Privata', bio: 'Ada’s own words' });
    // A member that cannot be read.
    emulator.updateProfile(friendIds[0]!, { display_name: 'Bea Privata', account_number: 'nine' as never });
    const entries: LogEntry[] = [];
    const log = (entry: LogEntry) => void entries.push(entry);
    const client = createClient({ ...server.urls, token: identityToken, log });
    await firstValueFrom(client.events.watch({}));
    emulator.publish(identityId, { chat_message: { text: 'Said in private' } });
    await firstValueFrom(client.events.watch({ watch_index: '1' }));
    emulator.fault({ kind: 'unauthorized' });
    await lastValueFrom(client.events.watch({}).pipe(catchError(() => EMPTY)), { defaultValue: undefined });
    client.close();
    ok(entries.length >= 6, `${entries.length} entries`);

    emulator.fault({ kind: 'hot' }, { times: 30 });
    const { out } = await lobbyRx(['doctor', '--json', '--group', groupId], { env: env() }).exited;
    ok(linesOf(out).includes('warning members'), out);
    const report = out + entries.map(entry => inspect(entry, { depth: Infinity })).join('\n');
    for (const text of [identityToken, identityToken.slice(9), 'Privata', 'words', 'private', 'nine'])
      ok(!report.includes(text), `${text} in ${report}`);
  });

  it('takes the origins of the pages of apps', async () => {
    for (const origin of ['capacitor://localhost', 'chrome-extension://abcdefgh', 'null']) {
      const { emulator, env } = service;
      emulator.fault({ kind: 'hot' }, { times: 30 });
      const { out, err } = await lobbyRx(['doctor', '--origin', origin], { env: env() }).exited;
      deepStrictEqual([linesOf(out).slice(0, 3), err], [['ok service', 'ok cors', 'ok cors'], '']);
    }
  });

  it('prints lines for people on a terminal, and what to do', async () => {
    service.emulator.fault({ kind: 'hot' }, { times: 30 });
    const { out } = await lobbyRx(['doctor'], { env: service.env(), terminal: 'fake' }).exited;
    match(out, /✔ service +answers at this URL\r?$/m);
    match(out, /✖ poll +polls are answered at once[^\n]*\n +→ see whether a proxy/);
  });

  it('shows that it waits, and can be stopped', async () => {
    const { env, hasPendingWatch } = service;
    const run = lobbyRx(['doctor'], { env: env(), terminal: 'fake' });
    await waitUntil(hasPendingWatch);
    await run.prints('waiting for an answer: 1 s');
    run.process.kill('SIGTERM');
    strictEqual((await run.exited).code, 143);
    await waitUntil(() => !hasPendingWatch());
  });

  it('says what is wrong with a certificate', async () => {
    const { env, server } = service;
    const pem = join(import.meta.dirname, '../../localhost.pem');
    const both = readFileSync(pem);
    const front = createTlsServer({ key: both, cert: both }, socket => {
      const behind = connect(Number(new URL(server.url).port), '127.0.0.1');
      socket.pipe(behind).pipe(socket);
      for (const each of [socket, behind]) each.on('error', () => [socket.destroy(), behind.destroy()]);
    });
    await once(front.listen(0, 'localhost'), 'listening');
    service.emulator.fault({ kind: 'hot' }, { times: 30 });
    const url = `https://localhost:${(front.address() as AddressInfo).port}`;
    const examine = async (more: Readonly<Record<string, string>>) =>
      (
        await lobbyRx(['doctor', '--url', url], { env: { ...more, LOBBY_RX_TOKEN: env().LOBBY_RX_TOKEN! } })
          .exited
      ).out;
    match(await examine({ NODE_EXTRA_CA_CERTS: pem }), /"service","level":"ok"/);
    match(await examine({}), /signed by itself \(DEPTH_ZERO_SELF_SIGNED_CERT\).*NODE_EXTRA_CA_CERTS/);
    front.close();
  });

  it('ends at once if there is no service', async () => {
    const { env, server } = service;
    const { code, out } = await lobbyRx(['doctor', '--url', `${server.url}/v1`], {
      env: { LOBBY_RX_TOKEN: env().LOBBY_RX_TOKEN! },
    }).exited;
    strictEqual(code, 3);
    deepStrictEqual(linesOf(out), ['problem service']);
    match(out, /is not at this URL \(404\).*what comes before/);
  });

  it('reports in one line what is wrong with its arguments, and sends nothing', async () => {
    const { emulator, env } = service;
    for (const [args, vars, message] of [
      [
        ['--origin', 'game.example'],
        env(),
        /--origin must be like https:\/\/game\.example or capacitor:\/\/localhost; got another text/,
      ],
      [['--origin', 'https://a.example/page'], env(), /--origin must be like/],
      [['--json', 'x'], env(), /takes no arguments/],
      [[], {}, /the URL of the service is missing/],
      [[], { LOBBY_RX_URL: 'https://a.example' }, /the token is missing/],
      [['--url', 'http://a.example'], env(), /--url must be an https: URL/],
    ] as const) {
      const { code, err } = await called(['doctor', ...args], vars);
      strictEqual(code, 2, err);
      match(err, message);
      strictEqual(err.trim().split('\n').length, 1);
    }
    strictEqual(emulator.requests.length, 0);
  });
});
