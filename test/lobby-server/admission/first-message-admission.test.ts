import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { once } from 'node:events';
import { until } from '../../until.js';
import { confirmations, openGate, type OpenGate } from '../gate.js';
import { knock } from '../knock.js';
import { enter, visit } from '../visit.js';

describe('lobbyGate, with the token as the first message', () => {
  let gate: OpenGate;
  const at = (query = '') => `ws://127.0.0.1:${gate.port}/${query}`;
  afterEach(() => gate.close());

  it('admits a player who sends a valid one, and holds what follows until they are in', async () => {
    gate = await openGate({ tokenParameter: false, firstMessage: true, isHeld: true });
    const token = gate.reserve();
    const { ws } = await enter(at());
    for (const message of [token, 'one', 'two']) ws.send(message);
    const other = await enter(at());
    other.ws.ping();
    await new Promise(resolve => other.ws.once('pong', resolve));
    strictEqual(gate.admitted.length, 0);

    gate.goOn();
    await until(() => gate.admitted.length === 1);
    const heard: unknown[] = [];
    gate.admitted[0]!.message$.subscribe(message => heard.push(message));
    ws.send('three');
    await until(() => heard.length === 3);
    deepStrictEqual(heard, ['one', 'two', 'three']);
    strictEqual(gate.admitted[0]!.token, token);
  });

  it('extracts it by a function', async () => {
    const firstMessage = (text: string) => (JSON.parse(text) as { token?: string }).token;
    gate = await openGate({ firstMessage });
    const token = gate.reserve();
    const { ws } = await enter(at());
    ws.send(JSON.stringify({ token }));
    await until(() => gate.admitted.length === 1);

    for (const message of ['{}', 'no JSON']) {
      const visited = await enter(at());
      visited.ws.send(message);
      deepStrictEqual(await visited.ending, { code: 4401, reason: 'no_token' });
    }
    deepStrictEqual(
      gate.log.flatMap(entry => (entry.kind === 'hook_failed' ? [entry.hook] : [])),
      ['firstMessage'],
    );
  });

  const refused: readonly (readonly [string, (gate: OpenGate) => string | Buffer, number, string])[] = [
    ['one that nobody issued', () => 'nobody-issued-it', 4401, 'invalid_token'],
    ['an empty one', () => '', 4401, 'no_token'],
    ['a valid one, but binary', ({ reserve }) => Buffer.from(reserve()), 4401, 'no_token'],
    ['one of 8,193 characters', () => 'x'.repeat(8_193), 4401, 'no_token'],
    ['one of 10 MB', () => 'x'.repeat(10 * 2 ** 20), 1009, ''],
  ];
  for (const [what, message, code, reason] of refused) {
    it(`closes with ${code} if the message is ${what}`, async () => {
      gate = await openGate({ firstMessage: true });
      const { ws, ending } = await enter(at());
      ws.send(message(gate), () => undefined);
      const { code: got, reason: why } = await ending;
      // A client that is still sending megabytes may see its connection break before it reads why.
      ok(got === code || (code === 1009 && got === 1006), `${got}`);
      if (got === code) strictEqual(why, reason);
      strictEqual(gate.admitted.length, 0);
    });
  }

  it('closes with 4403 if it is consumed or expired', async () => {
    gate = await openGate({ firstMessage: true });
    const token = gate.reserve();
    const first = await enter(at());
    first.ws.send(token);
    await until(() => gate.admitted.length === 1);
    const second = await enter(at());
    second.ws.send(token);
    deepStrictEqual(await second.ending, { code: 4403, reason: 'already_connected' });
    strictEqual(gate.admitted.length, 1);
    await gate.close();

    gate = await openGate({ firstMessage: true, emulated: { reservation: 0 } });
    const late = await enter(at());
    late.ws.send(gate.reserve());
    deepStrictEqual(await late.ending, { code: 4403, reason: 'registration_expired' });
  });

  it('admits only one of two players who send the same token at the same moment', async () => {
    gate = await openGate({ firstMessage: true });
    const token = gate.reserve();
    const visits = await Promise.all([enter(at()), enter(at())]);
    for (const { ws } of visits) ws.send(token);
    const { code } = await Promise.race(visits.map(({ ending }) => ending));
    strictEqual(code, 4403);
    await until(() => gate.admitted.length === 1);
  });

  it('admits only one if one sends it, and another has it in their URL', async () => {
    gate = await openGate({ firstMessage: true });
    const token = gate.reserve();
    const said = await enter(at());
    said.ws.send(token);
    const visited = await visit(at(`?token=${token}`));
    await until(() => gate.admitted.length === 1);
    if (visited.kind === 'open') strictEqual((await said.ending).code, 4403);
    else strictEqual(visited.kind === 'refused' && visited.status, 403);
    strictEqual(gate.admitted.length, 1);
  });

  it('closes with 4408 if it does not come in time, or only half of it does', async () => {
    gate = await openGate({ firstMessage: true });
    const { ending } = await enter(at());
    const half = await enter(at());
    half.ws.send(gate.reserve(), { fin: false });
    half.ws.ping();
    await once(half.ws, 'pong');
    gate.pass(4_999);
    strictEqual(half.ws.readyState, half.ws.OPEN);
    gate.pass(1);
    deepStrictEqual(await ending, { code: 4408, reason: 'no_token_in_time' });
    deepStrictEqual((await half.ending).code, 4408);
    strictEqual(confirmations(gate), 0);
  });

  it('does not open the socket if the URL has a wrong token', async () => {
    gate = await openGate({ firstMessage: true });
    strictEqual((await visit(at('?token=wrong'))).kind, 'refused');
    strictEqual((await visit(at('?token='))).kind, 'refused');
  });

  it('waits for at most maxWaiting first messages', async () => {
    gate = await openGate({ maxWaiting: 2, firstMessage: true });
    const first = await enter(at());
    await enter(at());
    const third = await visit(at());
    ok(third.kind === 'refused' && third.status === 503);
    first.ws.send(gate.reserve());
    await until(() => gate.admitted.length === 1);
    await enter(at());
  });

  it('does not admit a player who sends more than may be held while they are being confirmed', async () => {
    gate = await openGate({ isHeld: true, firstMessage: true, maxHeldMessages: 3 });
    const token = gate.reserve();
    const { ws, ending } = await enter(at());
    for (const message of [token, 1, 2, 3, 4]) ws.send(String(message));
    strictEqual((await ending).code, 4413);
    gate.goOn();
    await until(() => gate.gone.length === 1);
    deepStrictEqual([gate.gone, gate.admitted], [[token], []]);
  });

  it('gives a refused client a second to answer the close frame', async () => {
    gate = await openGate({ firstMessage: true });
    const client = await knock(gate.port, '/');
    await once(client, 'data');
    // An empty text message, masked with zeros, and then whatever else.
    for (let i = 0; i < 5; i++) client.write(Buffer.from([0x81, 0x80, 0, 0, 0, 0]));
    const [frame] = (await once(client, 'data')) as [Buffer];
    strictEqual(frame.readUInt16BE(2), 4401);
    const closed = once(client, 'close');
    gate.pass(999);
    client.write(Buffer.from([0x81, 0x80, 0, 0, 0, 0]));
    gate.pass(1);
    await closed;
    strictEqual(gate.admitted.length, 0);
  });
});
