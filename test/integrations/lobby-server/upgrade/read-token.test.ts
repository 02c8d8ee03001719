import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { once } from 'node:events';
import { inspect } from 'node:util';
import { of } from 'rxjs';
import type { LobbyGateConfig } from 'lobby-rx/lobby-server';
import { WebSocket, type ClientOptions } from 'ws';
import { waitUntil } from '../../../wait-until.js';
import { openGate, type OpenGate } from '../gate.js';
import { connectPlayer, tryConnect } from '../connect-player.js';

describe('lobbyGate and where it finds the token', () => {
  let gate: OpenGate;
  const at = (query = '') => `ws://127.0.0.1:${gate.port}/${query}`;
  afterEach(() => gate.close());

  const opened = async (protocols: readonly string[]) => {
    const ws = new WebSocket(at(`?token=${gate.reserveToken()}`), [...protocols]);
    await new Promise(resolve => ws.on('open', resolve));
    return ws;
  };

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

  it('lets ws.handleProtocols select a subprotocol, and survives what it does wrong', async () => {
    const offered: unknown[] = [];
    const answers: readonly (() => unknown)[] = [
      () => 'game.v1',
      () => false,
      () => Promise.reject(new Error('broken')),
      () => {
        throw new Error('broken');
      },
      () => 'not offered',
    ];
    let calls = 0;
    gate = await openGate({
      ws: {
        handleProtocols: protocols => {
          offered.push([...protocols]);
          return answers[calls++]!() as string;
        },
      },
    });
    const { protocol } = await opened(['game.v2', 'game.v1']);
    deepStrictEqual([protocol, offered], ['game.v1', [['game.v2', 'game.v1']]]);
    for (let i = 1; i < answers.length; i++) {
      // The client of ws does not accept that none is selected.
      await tryConnect(at(`?token=${gate.reserveToken()}`), {
        headers: { 'sec-websocket-protocol': 'game' },
      });
      await waitUntil(() => calls === i + 1);
    }
    strictEqual(gate.log.filter(({ kind }) => kind === 'hook_failed').length, 2);
  });

  it('compresses messages if ws.perMessageDeflate says so', async () => {
    gate = await openGate({ ws: { perMessageDeflate: true } });
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
