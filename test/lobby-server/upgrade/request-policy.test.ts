import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { until } from '../../until.js';
import { openGate, type OpenGate } from '../gate.js';
import { enter, visit } from '../visit.js';

describe('lobbyGate and its request policy', () => {
  let gate: OpenGate;
  const at = (query = '') => `ws://127.0.0.1:${gate.port}/${query}`;
  afterEach(() => gate.close());

  it('asks the hooks about the origin and the address', async () => {
    const asked: unknown[] = [];
    gate = await openGate({
      isOriginAllowed: origin => origin === undefined || origin === 'https://game.example',
      isAddressAllowed: (address, open) => {
        asked.push([address, open]);
        return open < 2;
      },
      addressOf: ({ headers }) => String(headers['x-forwarded-for'] ?? 'none'),
    });
    const token = gate.reserve();
    const wrong = await visit(at(`?token=${token}`), { origin: 'https://evil.example' });
    ok(wrong.kind === 'refused');
    deepStrictEqual([wrong.status, wrong.body], [403, 'origin']);

    const from = (address: string) =>
      visit(at(`?token=${gate.reserve()}`), {
        origin: 'https://game.example',
        headers: { 'x-forwarded-for': address },
      });
    const visits = [await from('a'), await from('a'), await from('a'), await from('b')];
    deepStrictEqual(
      visits.map(visited => (visited.kind === 'refused' ? visited.status : visited.kind)),
      ['open', 'open', 429, 'open'],
    );
    deepStrictEqual(asked.slice(-4), [
      ['a', 0],
      ['a', 1],
      ['a', 2],
      ['b', 0],
    ]);
    if (visits[0]!.kind === 'open') visits[0]!.ws.close();
    await until(() => gate.gone.length === 1);
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
      const visited = await visit(at(`?token=${gate.reserve()}`));
      ok(visited.kind === 'refused');
      deepStrictEqual([visited.status, visited.body], [500, 'hook_failed']);
      ok(gate.log.some(entry => entry.kind === 'hook_failed' && entry.hook === hook));
    });
  }

  for (const hook of ['isOriginAllowed', 'isAddressAllowed'] as const) {
    it(`admits nobody if ${hook} returns a promise, against its type`, async () => {
      gate = await openGate({ [hook]: () => Promise.resolve(true) });
      const visited = await visit(at(`?token=${gate.reserve()}`));
      ok(visited.kind === 'refused' && (visited.status === 403 || visited.status === 429));
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
    await visit(at(`?token=${encodeURIComponent(token)}`));
    const { ws, ending } = await enter(at());
    ws.send('secretSecret');
    await ending;
    deepStrictEqual(
      gate.log.flatMap(entry => (entry.kind === 'hook_failed' ? [entry.error] : [])),
      ['Error', 'SyntaxError'],
    );
  });
});
