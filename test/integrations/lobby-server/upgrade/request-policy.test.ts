import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { waitUntil } from '../../../wait-until.js';
import { eachFromElsewhere, openGate, type OpenGate } from '../gate.js';
import { tryConnect } from '../connect-player.js';

describe('lobbyGate and its request policy', () => {
  let gate: OpenGate;
  const at = (query = '') => `ws://127.0.0.1:${gate.port}/${query}`;
  afterEach(() => gate.close());

  it('calls the hooks with the origin and the address', async () => {
    const asked: unknown[] = [];
    gate = await openGate({
      allowOrigin: origin => origin === undefined || origin === 'https://game.example',
      allowAddress: (address, open) => {
        asked.push([address, open]);
        return open < 2;
      },
      addressOf: ({ headers }) => String(headers['x-forwarded-for'] ?? 'none'),
    });
    const token = gate.reserveToken();
    const wrong = await tryConnect(at(`?token=${token}`), { origin: 'https://evil.example' });
    ok(wrong.kind === 'refused');
    deepStrictEqual([wrong.status, wrong.body], [403, 'origin']);

    const from = (address: string) =>
      tryConnect(at(`?token=${gate.reserveToken()}`), {
        origin: 'https://game.example',
        headers: { 'x-forwarded-for': address },
      });
    const results = [await from('a'), await from('a'), await from('a'), await from('b')];
    deepStrictEqual(
      results.map(result => (result.kind === 'refused' ? result.status : result.kind)),
      ['open', 'open', 429, 'open'],
    );
    deepStrictEqual(asked.slice(-4), [
      ['a', 0],
      ['a', 1],
      ['a', 2],
      ['b', 0],
    ]);
    if (results[0]!.kind === 'open') results[0]!.ws.close();
    await waitUntil(() => gate.left.length === 1);
    strictEqual((await from('a')).kind, 'open');
    deepStrictEqual(asked.at(-1), ['a', 1]);
    deepStrictEqual([gate.admitted[0]!.address, gate.emulator.playerState(token)], ['a', 'reserved']);
  });

  it('counts the connections of a /64 of IPv6 as those of one address', async () => {
    let clients = 0;
    gate = await openGate({
      allowAddress: (_, open) => open < 2,
      addressOf: () => `2001:db8:1:2::${++clients}`,
    });
    const kinds = [];
    for (let i = 0; i < 3; i++) kinds.push((await tryConnect(at(`?token=${gate.reserveToken()}`))).kind);
    deepStrictEqual(kinds, ['open', 'open', 'refused']);
    deepStrictEqual(
      gate.admitted.map(({ address }) => address),
      ['2001:db8:1:2::1', '2001:db8:1:2::2'],
    );
  });

  for (const hook of ['allowOrigin', 'allowAddress', 'addressOf'] as const) {
    it(`admits nobody if ${hook} throws`, async () => {
      gate = await openGate({
        [hook]: () => {
          throw new Error('broken');
        },
      });
      const result = await tryConnect(at(`?token=${gate.reserveToken()}`));
      ok(result.kind === 'refused');
      deepStrictEqual([result.status, result.body], [500, 'hook_failed']);
      ok(gate.log.some(entry => entry.kind === 'hook_failed' && entry.hook === hook));
    });
  }

  for (const hook of ['allowOrigin', 'allowAddress', 'addressOf', 'token'] as const) {
    const answers: readonly (readonly [string, () => unknown])[] = [
      ['a promise', () => Promise.resolve(true)],
      ['a promise that rejects', () => Promise.reject(new Error('broken'))],
      ['a number', () => 7],
    ];
    for (const [what, answer] of answers) {
      it(`admits nobody, and goes on, if ${hook} returns ${what}, against its type`, async () => {
        gate = await openGate({ [hook]: answer });
        const result = await tryConnect(at(`?token=${gate.reserveToken()}`));
        ok(result.kind === 'refused');
        deepStrictEqual([result.status, result.body], [500, 'hook_failed']);
        const { error } = gate.log.find(({ kind }) => kind === 'hook_failed') as { error: string };
        ok(error.startsWith(`InputError: ${hook} must be a function that returns`), error);
      });
    }
  }

  it('logs a failed hook without tokens', async () => {
    const token = 'a token+of/its%own';
    gate = await openGate({
      token: ({ url }) => {
        throw new SyntaxError(url);
      },
      addressOf: ({ url }) => {
        if (url === '/') return 'a';
        throw new Error(`what is ${url} ${new URL(url!, 'http://a').searchParams.get('token')}`);
      },
    });
    await tryConnect(at(`?token=${encodeURIComponent(token)}`));
    await tryConnect(at());
    deepStrictEqual(
      gate.log.flatMap(entry => (entry.kind === 'hook_failed' ? [entry.error] : [])),
      ['Error', 'SyntaxError'],
    );
  });

  it('warns once if most connections come from one address: a proxy has passed them on, with or without a header', async () => {
    for (const headers of [{ 'x-forwarded-for': '203.0.113.7' }, {}]) {
      gate = await openGate({ token: 'message' });
      for (let i = 0; i < 34; i++) strictEqual((await tryConnect(at(), { headers })).kind, 'open');
      deepStrictEqual(
        gate.log.map(({ kind }) => kind),
        ['behind_proxy'],
      );
      await gate.close();
    }
    // Whatever says so: the remote address or addressOf.
    gate = await openGate({ token: 'message', addressOf: () => 'one' });
    for (let i = 0; i < 33; i++) await tryConnect(at());
    deepStrictEqual(gate.log, [{ kind: 'behind_proxy', at: gate.scheduler.now(), address: 'one', open: 32 }]);
  });

  it('warns from 32 connections on, if more than half of them come from one address', async () => {
    gate = await openGate({ token: 'message' });
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    const open = async (localAddress: string, count: number) => {
      for (let i = 0; i < count; i++) await tryConnect(at(), { headers, localAddress });
    };
    await open('127.0.0.2', 15);
    await open('127.0.0.1', 16);
    strictEqual(gate.log.length, 0);
    await open('127.0.0.2', 1);
    strictEqual(gate.log.length, 0);
    await open('127.0.0.1', 1);
    deepStrictEqual(
      gate.log.map(entry => entry.kind === 'behind_proxy' && [entry.address, entry.open]),
      [['127.0.0.1', 17]],
    );
  });

  it('does not warn if addressOf tells the clients apart', async () => {
    gate = await openGate({ token: 'message', addressOf: eachFromElsewhere() });
    for (let i = 0; i < 40; i++) await tryConnect(at(), { headers: { 'x-forwarded-for': 'a' } });
    deepStrictEqual(gate.log, []);
  });
});
