import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { waitUntil } from '../../wait-until.js';
import { openGate, type OpenGate } from '../gate.js';
import { connectPlayer, tryConnect } from '../connect-player.js';

describe('lobbyGate and its request policy', () => {
  let gate: OpenGate;
  const at = (query = '') => `ws://127.0.0.1:${gate.port}/${query}`;
  afterEach(() => gate.close());

  it('calls the hooks with the origin and the address', async () => {
    const asked: unknown[] = [];
    gate = await openGate({
      isOriginAllowed: origin => origin === undefined || origin === 'https://game.example',
      isAddressAllowed: (address, open) => {
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
    await waitUntil(() => gate.gone.length === 1);
    strictEqual((await from('a')).kind, 'open');
    deepStrictEqual(asked.at(-1), ['a', 1]);
    deepStrictEqual([gate.admitted[0]!.address, gate.emulator.playerState(token)], ['a', 'reserved']);
  });

  for (const hook of ['isOriginAllowed', 'isAddressAllowed', 'addressOf'] as const) {
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

  for (const hook of ['isOriginAllowed', 'isAddressAllowed'] as const) {
    it(`admits nobody if ${hook} returns a promise, against its type`, async () => {
      gate = await openGate({ [hook]: () => Promise.resolve(true) });
      const result = await tryConnect(at(`?token=${gate.reserveToken()}`));
      ok(result.kind === 'refused' && (result.status === 403 || result.status === 429));
    });
  }

  it('logs a failed hook without tokens', async () => {
    const token = 'a token+of/its%own';
    gate = await openGate({
      firstMessage: text => (JSON.parse(text) as { token: string }).token,
      addressOf: ({ url }) => {
        if (url === '/') return 'a';
        throw new Error(`what is ${url} ${new URL(url!, 'http://a').searchParams.get('token')}`);
      },
    });
    await tryConnect(at(`?token=${encodeURIComponent(token)}`));
    const { ws, closed } = await connectPlayer(at());
    ws.send('secretSecret');
    await closed;
    deepStrictEqual(
      gate.log.flatMap(entry => (entry.kind === 'hook_failed' ? [entry.error] : [])),
      ['Error', 'SyntaxError'],
    );
  });
});
