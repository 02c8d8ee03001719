import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { once } from 'node:events';
import { waitUntil } from '../../../wait-until.js';
import { confirmations, eachFromElsewhere, openGate, type OpenGate } from '../gate.js';
import { connectRaw } from '../raw-client.js';
import { connectPlayer, tryConnect } from '../connect-player.js';

describe('lobbyGate, with the token as the first message', () => {
  let gate: OpenGate;
  const at = (query = '') => `ws://127.0.0.1:${gate.port}/${query}`;
  afterEach(() => gate.close());

  it('admits a player who sends a valid token, and buffers further messages until they are admitted', async () => {
    gate = await openGate({ token: 'message', holdRequests: true });
    const token = gate.reserveToken();
    const { ws } = await connectPlayer(at());
    for (const message of [token, 'one', 'two']) ws.send(message);
    const other = await connectPlayer(at());
    other.ws.ping();
    await new Promise(resolve => other.ws.once('pong', resolve));
    strictEqual(gate.admitted.length, 0);

    gate.sendHeldRequests();
    await waitUntil(() => gate.admitted.length === 1);
    const received: unknown[] = [];
    gate.admitted[0]!.message$.subscribe(message => received.push(message));
    ws.send('three');
    await waitUntil(() => received.length === 3);
    deepStrictEqual(received, ['one', 'two', 'three']);
    strictEqual(gate.admitted[0]!.token, token);
  });

  for (const [before, after] of [
    ['', '\n'],
    ['', '\r\n'],
    [' \t', '  '],
    ['', '\0'],
    ['\n', '\0\n'],
  ] as const) {
    it(`admits a player whose token has ${JSON.stringify([before, after])} around it`, async () => {
      gate = await openGate({ token: 'message' });
      const token = gate.reserveToken();
      const { ws } = await connectPlayer(at());
      ws.send(before + token + after);
      await waitUntil(() => gate.admitted.length === 1);
      strictEqual(gate.admitted[0]!.token, token);
    });
  }

  const refused: readonly (readonly [string, (gate: OpenGate) => string | Buffer, number, string])[] = [
    ['a token that was never issued', () => 'nobody-issued-it', 4401, 'invalid_token'],
    ['empty', () => '', 4401, 'no_token'],
    ['binary, and no UTF-8', () => Buffer.from([0xff, 0xfe, 0x80]), 4401, 'no_token'],
    ['a token with a blank in it', gate => `${gate.reserveToken()} x`, 4401, 'no_token'],
    ['a token with a line end in it', gate => `${gate.reserveToken()}\nx`, 4401, 'no_token'],
    ['a token with a NUL in it', gate => `${gate.reserveToken()}\0x`, 4401, 'no_token'],
    ['blanks only', () => ' \r\n\0', 4401, 'no_token'],
    ['a token of 8,193 characters', () => 'x'.repeat(8_193), 4401, 'no_token'],
    ['a token of 10 MB', () => 'x'.repeat(10 * 2 ** 20), 1009, 'too_large'],
  ];
  for (const [what, message, code, reason] of refused) {
    it(`closes with ${code} if the message is ${what}`, async () => {
      gate = await openGate({ token: 'message' });
      const { ws, closed } = await connectPlayer(at());
      ws.send(message(gate), () => undefined);
      const { code: got, reason: why } = await closed;
      // The connection of a client that is still sending megabytes may break before it reads the
      // close frame.
      ok(got === code || (code === 1009 && got === 1006), `${got}`);
      // ws closes by itself, without a reason, if the length of the message arrives before the
      // rest.
      if (got === code && why !== '') strictEqual(why, reason);
      strictEqual(gate.admitted.length, 0);
    });
  }

  it('takes a token in a binary message, since some engines send nothing else', async () => {
    gate = await openGate({ token: 'message' });
    const { ws } = await connectPlayer(at());
    ws.send(Buffer.from(gate.reserveToken()));
    await waitUntil(() => gate.admitted.length === 1);
  });

  it('closes with 4403 if the token is consumed or expired', async () => {
    gate = await openGate({ token: 'message' });
    const token = gate.reserveToken();
    const first = await connectPlayer(at());
    first.ws.send(token);
    await waitUntil(() => gate.admitted.length === 1);
    const second = await connectPlayer(at());
    second.ws.send(token);
    deepStrictEqual(await second.closed, { code: 4403, reason: 'already_connected' });
    strictEqual(gate.admitted.length, 1);
    await gate.close();

    gate = await openGate({ token: 'message', emulatorConfig: { reservation: 0 } });
    const late = await connectPlayer(at());
    late.ws.send(gate.reserveToken());
    deepStrictEqual(await late.closed, { code: 4403, reason: 'registration_expired' });
  });

  it('admits only one of two players who send the same token at the same moment', async () => {
    gate = await openGate({ token: 'message' });
    const token = gate.reserveToken();
    const results = await Promise.all([connectPlayer(at()), connectPlayer(at())]);
    for (const { ws } of results) ws.send(token);
    const { code } = await Promise.race(results.map(({ closed }) => closed));
    strictEqual(code, 4403);
    await waitUntil(() => gate.admitted.length === 1);
  });

  it('closes with 4408 if the message, or a part of it, does not arrive in time', async () => {
    gate = await openGate({ token: 'message' });
    const { closed } = await connectPlayer(at());
    const half = await connectPlayer(at());
    half.ws.send(gate.reserveToken(), { fin: false });
    half.ws.ping();
    await once(half.ws, 'pong');
    gate.pass(4_999);
    strictEqual(half.ws.readyState, half.ws.OPEN);
    gate.pass(1);
    deepStrictEqual(await closed, { code: 4408, reason: 'no_token_in_time' });
    deepStrictEqual((await half.closed).code, 4408);
    strictEqual(confirmations(gate), 0);
  });

  it('takes a token that has come in time, although the process was too busy to read it', async () => {
    gate = await openGate({ token: 'message' });
    const { ws } = await connectPlayer(at());
    ws.send(gate.reserveToken());
    gate.pass(6_000);
    await waitUntil(() => gate.log.length > 0);
    deepStrictEqual(
      gate.log.map(({ kind }) => kind),
      ['admitted'],
    );
  });

  it('takes no token from the URL', async () => {
    gate = await openGate({ token: 'message' });
    const { ws, closed } = await connectPlayer(at(`?token=${gate.reserveToken()}`));
    ws.send('wrong');
    deepStrictEqual(await closed, { code: 4401, reason: 'invalid_token' });
  });

  it('waits for at most four times maxPending first messages', async () => {
    gate = await openGate({ maxPending: 1, token: 'message', addressOf: eachFromElsewhere() });
    const first = await connectPlayer(at());
    for (let i = 1; i < 4; i++) await connectPlayer(at());
    const fifth = await tryConnect(at());
    ok(fifth.kind === 'refused' && fifth.status === 503);
    first.ws.send(gate.reserveToken());
    await waitUntil(() => gate.admitted.length === 1);
    await connectPlayer(at());
  });

  it('is told to try again if more tokens than maxPending are being confirmed', async () => {
    gate = await openGate({ token: 'message', holdRequests: true, maxPending: 1 });
    const first = await connectPlayer(at());
    first.ws.send(gate.reserveToken());
    await waitUntil(() => gate.heldRequests() === 1);
    const second = await connectPlayer(at());
    second.ws.send(gate.reserveToken());
    deepStrictEqual(await second.closed, { code: 4429, reason: 'busy' });
    gate.sendHeldRequests();
    await waitUntil(() => gate.admitted.length === 1);
  });

  it('does not admit a player who sends more than may be buffered while they are being confirmed', async () => {
    gate = await openGate({ holdRequests: true, token: 'message' });
    const token = gate.reserveToken();
    const { ws, closed } = await connectPlayer(at());
    ws.send(token);
    for (let nth = 0; nth < 65; nth++) ws.send('more');
    strictEqual((await closed).code, 4413);
    gate.sendHeldRequests();
    await waitUntil(() => gate.left.length === 1);
    deepStrictEqual([gate.left, gate.admitted], [[token], []]);
  });

  it('gives a refused client a second to answer the close frame', async () => {
    gate = await openGate({ token: 'message' });
    const client = await connectRaw(gate.port, '/');
    await once(client, 'data');
    // An empty text message, masked with zeros, followed by others.
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
