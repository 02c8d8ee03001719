import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import {
  createControl,
  createEmulator,
  listen,
  seedWorld,
  type Emulator,
  type EmulatorServer,
} from 'lobby-rx/emulator';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

describe('The control over HTTP', () => {
  let emulator: Emulator;
  let server: EmulatorServer;
  beforeEach(async () => {
    emulator = createEmulator();
    server = await listen(emulator, { control: createControl(emulator, seedWorld(emulator)) });
  });
  afterEach(() => server.close());

  /** Sends a command. Node's fetch would not let us choose the host. */
  const post = (path: string, body = '', more: Readonly<Record<string, string>> = {}, method = 'POST') =>
    new Promise<Answer>((resolve, reject) => {
      const headers = { authorization: `Bearer ${server.control!.secret}`, ...more };
      const sent = request(`${server.control!.url}/${path}`, { method, headers }, response => {
        const { statusCode: status = 0, headers } = response;
        void json(response).then(
          value => resolve({ status, headers, body: value as Answer['body'] }),
          reject,
        );
      });
      sent.on('error', reject).end(body);
    });

  it('carries out what can be typed', async () => {
    const { status, body, headers } = await post('player');
    strictEqual(status, 200);
    strictEqual(emulator.playerState(body.player_token as string), 'reserved');
    strictEqual(headers['content-type'], 'application/json');
    deepStrictEqual((await post('presence', '{"status":"away"}')).body.message, 'the presence is away');
    deepStrictEqual((await post('token/expire')).body.message, "the identity's token has expired");
    match((await post('help')).body.message as string, /^player /);
    // Commands are no requests to the service: no fault affects them.
    await post('fault', '{"kind":"refuse","times":"always"}');
    strictEqual((await post('state')).status, 200);
    deepStrictEqual(emulator.requests, []);
  });

  it('says what is wrong with a command', async () => {
    const outcome = async (...args: Parameters<typeof post>) => {
      const { status, body } = await post(...args);
      return `${status} ${String(body.message)}`;
    };
    match(await outcome('jion'), /^404 command must be one of player, /);
    match(await outcome('presence', '{"status":7}'), /^400 status must be a non-empty string; got 7$/);
    match(await outcome('presence', '{'), /^400 body must be a JSON object with the fields of the command/);
    match(await outcome('presence', '[]'), /^400 body must be a JSON object/);
    match(await outcome('state', '', {}, 'GET'), /^405 the method for commands is POST$/);
    deepStrictEqual(await outcome('state?x=1'), '200 the state');
  });

  it('is only for those who know the secret, under its own name, and never for a web page', async () => {
    const { port } = server;
    for (const authorization of ['', 'Bearer ', `Bearer ${'x'.repeat(32)}`, server.control!.secret])
      strictEqual((await post('player', '', { authorization })).status, 401);
    // The name of a page that leads to 127.0.0.1 by now: DNS rebinding.
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1', `127.0.0.1:${port + 1}`])
      strictEqual((await post('player', '', { host })).status, 403, host);
    strictEqual((await post('state', '', { host: `LOCALHOST:${port}` })).status, 200);
    strictEqual((await post('state', '', { origin: `https://127.0.0.1:${port}` })).status, 200);
    strictEqual((await post('player', '', { host: `localhost:${port}` })).status, 200);
    const origin = { origin: 'http://evil.example', 'access-control-request-method': 'POST' };
    const preflight = await post('player', '', origin, 'OPTIONS');
    strictEqual(preflight.status, 403);
    strictEqual((await post('player', '', { origin: 'null' })).status, 403);
    strictEqual((await post('player', '', { origin: `http://127.0.0.1:${port}` })).status, 200);
    strictEqual((await post('player', '', {}, 'OPTIONS')).status, 405);
    ok(!Object.keys(preflight.headers).some(name => name.startsWith('access-control')));
    strictEqual(emulator.save().players.length, 3);
  });

  it('has a new secret each time, and is not there unless it is asked for', async () => {
    const plain = await listen(emulator);
    strictEqual(plain.control, undefined);
    strictEqual((await fetch(`${plain.url}/_emulator/player`, { method: 'POST' })).status, 404);
    await plain.close();
    const { control } = server;
    const other = await listen(emulator, { control: createControl(emulator, seedWorld(emulator)) });
    ok(other.control!.secret !== control!.secret && other.control!.secret.length >= 32);
    await other.close();
  });
});
