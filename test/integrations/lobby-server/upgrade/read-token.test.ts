import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { once } from 'node:events';
import { inspect } from 'node:util';
import { of } from 'rxjs';
import type { LobbyGateConfig } from 'lobby-rx/lobby-server';
import type { ClientOptions } from 'ws';
import { waitUntil } from '../../../wait-until.js';
import { openGate, type OpenGate } from '../gate.js';
import { connectPlayer, tryConnect } from '../connect-player.js';

describe('lobbyGate and where it finds the token', () => {
  let gate: OpenGate;
  const at = (query = '') => `ws://127.0.0.1:${gate.port}/${query}`;
  afterEach(() => gate.close());

  const readers: readonly (readonly [
    string,
    (token: string) => ClientOptions,
    Required<LobbyGateConfig>['token'],
  ])[] = [
    [
      'a header',
      token => ({ headers: { authorization: `Bearer ${token}` } }),
      ({ headers }) => headers.authorization?.replace('Bearer ', ''),
    ],
    [
      'a cookie',
      token => ({ headers: { cookie: `a=b; player=${encodeURIComponent(token)}` } }),
      ({ headers }) => {
        const [, value] = /player=([^;]*)/.exec(headers.cookie ?? '') ?? [];
        return value && decodeURIComponent(value);
      },
    ],
  ];
  for (const [where, options, token] of readers) {
    it(`lets a function take it from ${where}, and does not show it there`, async () => {
      gate = await openGate({ token });
      const reserved = gate.reserveToken();
      strictEqual((await tryConnect(at('?token=elsewhere'), options(reserved))).kind, 'open');
      await waitUntil(() => gate.admitted.length === 1);
      const [socket] = gate.admitted;
      deepStrictEqual([socket!.token, socket!.url], [reserved, '/?token=elsewhere']);
      ok(!inspect(socket!.headers).includes(reserved));
      const without = await tryConnect(at());
      ok(without.kind === 'refused' && without.body === 'no_token');
    });
  }

  it('shows no token that is percent-encoded in lower case', async () => {
    gate = await openGate({
      token: () => 'a/b secret',
      client: { matchmaker: { players: { connected: () => of(undefined) } } },
    });
    await connectPlayer(at('?t=a%2fb%20secret'));
    await waitUntil(() => gate.admitted.length === 1);
    const { url, searchParams } = gate.admitted[0]!;
    deepStrictEqual([url, searchParams.get('t')], ['/?t=[secret]', '[secret]']);
  });

  it('refuses a client if a function returns a promise, and survives its rejection', async () => {
    gate = await openGate({ token: (() => Promise.reject(new Error('tok-SECRET'))) as never });
    for (let n = 0; n < 3; n++) {
      const result = await tryConnect(at());
      deepStrictEqual(result.kind === 'refused' && [result.status, result.body], [500, 'hook_failed']);
    }
    await new Promise(resolve => setImmediate(resolve));
    ok(gate.log.some(({ kind }) => kind === 'hook_failed'));
    ok(!inspect(gate.log, { depth: Infinity }).includes('SECRET'));
  });

  it('compresses messages if perMessageDeflate says so', async () => {
    gate = await openGate({ perMessageDeflate: true });
    const { ws } = await connectPlayer(at(`?token=${gate.reserveToken()}`));
    ok(ws.extensions.includes('permessage-deflate'));
    const received: unknown[] = [];
    await waitUntil(() => gate.admitted.length === 1);
    gate.admitted[0]!.message$.subscribe(message => received.push(message));
    ws.send('x'.repeat(10_000));
    await waitUntil(() => received.length === 1);
    strictEqual(received[0], 'x'.repeat(10_000));
    ws.ping();
    await once(ws, 'pong');
  });
});
