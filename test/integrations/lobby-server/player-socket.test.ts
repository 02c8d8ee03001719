import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert';
import { once } from 'node:events';
import { lastValueFrom, take } from 'rxjs';
import { isInputError } from 'lobby-rx';
import { turns } from '../../turns.js';
import { waitUntil } from '../../wait-until.js';
import { openGate, type OpenGate } from './gate.js';
import { connectRaw } from './raw-client.js';
import { connectPlayer } from './connect-player.js';

describe('PlayerSocket', () => {
  let gate: OpenGate;
  const at = (query = '') => `ws://127.0.0.1:${gate.port}/${query}`;
  afterEach(() => gate.close());

  const floods: readonly (readonly [string, { readonly maxPayload?: number }, number, number])[] = [
    ['64 messages', {}, 64, 1],
    ['256 KiB', {}, 4, 65_536],
    ['four messages of the largest size', { maxPayload: 50 }, 4, 50],
  ];
  for (const [what, config, fitting, bytes] of floods) {
    it(`buffers ${what}, and closes a player who sends more`, async () => {
      gate = await openGate(config);
      const message = 'x'.repeat(bytes);
      for (const [i, count] of [fitting, fitting + 1].entries()) {
        const { ws, closed } = await connectPlayer(at(`?token=${gate.reserveToken()}`));
        for (let nth = 0; nth < count; nth++) ws.send(message);
        await waitUntil(() => gate.admitted.length === i + 1);
        const socket = gate.admitted[i]!;
        if (count === fitting) {
          ws.ping();
          await once(ws, 'pong');
          const received: unknown[] = [];
          socket.message$.subscribe(text => received.push(text));
          strictEqual(received.length, fitting);
        } else {
          deepStrictEqual(await closed, { code: 4413, reason: 'too_many_messages' });
        }
      }
    });
  }

  it('buffers messages between two subscribers', async () => {
    gate = await openGate();
    const { ws } = await connectPlayer(at(`?token=${gate.reserveToken()}`));
    for (const message of ['hello', 'one', 'two']) ws.send(message);
    await waitUntil(() => gate.admitted.length === 1);
    ws.ping();
    await once(ws, 'pong');
    const [socket] = gate.admitted;
    const received: unknown[] = [];
    socket!.message$.pipe(take(1)).subscribe(message => received.push([message]));
    socket!.message$.subscribe(message => received.push(message));
    deepStrictEqual(received, [['hello'], 'one', 'two']);
  });

  it('closes a player who sends a message that is too large', async () => {
    gate = await openGate({ maxPayload: 10 });
    const { ws, closed } = await connectPlayer(at(`?token=${gate.reserveToken()}`));
    ws.send('0123456789');
    ws.send('01234567890');
    strictEqual((await closed).code, 1009);
    await waitUntil(() => gate.left.length === 1);
  });

  it('closes the socket of a player who does not read, but not of a slow one', async () => {
    gate = await openGate({ maxBufferedAmount: 100_000 });
    const stalled = await connectPlayer(at(`?token=${gate.reserveToken()}`));
    const slow = await connectPlayer(at(`?token=${gate.reserveToken()}`));
    for (const { ws } of [stalled, slow]) ws.pause();
    await waitUntil(() => gate.admitted.length === 2);
    const ends: unknown[] = [];
    for (const socket of gate.admitted) {
      socket.closed$.subscribe(end => ends.push([gate.admitted.indexOf(socket), end]));
      while (socket.bufferedAmount <= 100_000) socket.send('x'.repeat(50_000));
    }
    gate.pass(4_000);
    slow.ws.resume();
    await waitUntil(() => gate.admitted[1]!.bufferedAmount === 0);
    slow.ws.pause();
    while (gate.admitted[1]!.bufferedAmount <= 100_000) gate.admitted[1]!.send('x'.repeat(50_000));
    gate.pass(999);
    deepStrictEqual(ends, []);
    gate.pass(1);
    await waitUntil(() => ends.length > 0);
    deepStrictEqual(ends, [[0, { code: 4413, reason: 'does not read' }]]);
    for (const { ws } of [stalled, slow]) ws.terminate();
  });

  it('disconnects at once a player who has left four times as much unread', async () => {
    gate = await openGate({ maxBufferedAmount: 100_000 });
    const stalled = await connectPlayer(at(`?token=${gate.reserveToken()}`));
    stalled.ws.pause();
    await waitUntil(() => gate.admitted.length === 1);
    const [player] = gate.admitted;
    const ends: unknown[] = [];
    player!.closed$.subscribe(end => ends.push(end));
    let most = 0;
    for (let i = 0; i < 1_000 && most <= 400_000; i++) {
      player!.send('x'.repeat(50_000));
      most = Math.max(most, player!.bufferedAmount);
    }
    await waitUntil(() => ends.length > 0);
    deepStrictEqual(ends, [{ code: 4413, reason: 'does not read' }]);
    ok(most < 500_000, `${most} bytes`);
    stalled.ws.terminate();
  });

  it('disconnects a player who has not answered two pings, and nobody else', async () => {
    gate = await openGate();
    const dead = await connectPlayer(at(`?token=${gate.reserveToken()}`));
    dead.ws.pause();
    const alive = await connectPlayer(at(`?token=${gate.reserveToken()}`));
    await waitUntil(() => gate.admitted.length === 2);
    for (let beats = 1; beats <= 5; beats++) {
      const pinged = once(alive.ws, 'ping');
      gate.pass(30_000);
      await pinged;
      // When the pong to this ping has arrived, the pong that was sent before it has arrived, too.
      const behind = once(alive.ws, 'pong');
      alive.ws.ping();
      await behind;
      if (beats >= 3) await waitUntil(() => gate.left.length === 1);
      strictEqual(gate.left.length, beats < 3 ? 0 : 1, `${beats}`);
    }
    strictEqual(gate.left[0], gate.admitted[0]!.token);
    strictEqual(alive.ws.readyState, alive.ws.OPEN);
    dead.ws.terminate();
  });

  it('keeps a player whose answer has come, although the process was too busy to read it', async () => {
    gate = await openGate();
    const { ws } = await connectPlayer(at(`?token=${gate.reserveToken()}`));
    await waitUntil(() => gate.admitted.length === 1);
    gate.pass(60_000);
    ws.pong();
    gate.pass(30_000);
    await turns(3);
    strictEqual(gate.left.length, 0);
    ws.ping();
    await once(ws, 'pong');
  });

  it('is in for a day of virtual time, and leaves', async () => {
    gate = await openGate();
    const { ws } = await connectPlayer(at(`?token=${gate.reserveToken()}`));
    await waitUntil(() => gate.admitted.length === 1);
    for (let beats = 0; beats < 2_880; beats++) {
      const pinged = once(ws, 'ping');
      gate.pass(30_000);
      await pinged;
      // The pong to this ping arrives before what follows it.
      const behind = once(ws, 'pong');
      ws.ping();
      await behind;
    }
    ws.close();
    await waitUntil(() => gate.left.length === 1);
  });

  it('emits no messages after close()', async () => {
    gate = await openGate();
    const { ws, closed } = await connectPlayer(at(`?token=${gate.reserveToken()}`));
    await waitUntil(() => gate.admitted.length === 1);
    const [socket] = gate.admitted;
    const received: unknown[] = [];
    socket!.message$.subscribe(message => received.push(message));
    ws.pause();
    socket!.close(4000, 'enough');
    // The player has not seen the close frame yet.
    ws.send('and another thing');
    ws.ping();
    ws.resume();
    deepStrictEqual([await closed, received], [{ code: 4000, reason: 'enough' }, []]);
  });

  it('reports which protocol violation closed a socket', async () => {
    gate = await openGate();
    const client = await connectRaw(gate.port, `/?token=${gate.reserveToken()}`);
    await waitUntil(() => gate.admitted.length === 1);
    client.write(Buffer.from([0x81, 0x01, 0x20]));
    client.end();
    const end = await lastValueFrom(gate.admitted[0]!.closed$);
    deepStrictEqual(end, { code: 1002, reason: 'WS_ERR_EXPECTED_MASK' });
  });

  it('throws an InputError for what a close frame cannot carry', async () => {
    gate = await openGate();
    await connectPlayer(at(`?token=${gate.reserveToken()}`));
    await waitUntil(() => gate.admitted.length === 1);
    const [socket] = gate.admitted;
    for (const code of [0, 999, 1005, 1006, 1015, 2000, 5000, 1000.5]) {
      throws(() => socket!.close(code), isInputError, `${code}`);
    }
    throws(() => socket!.close(1000, 'ä'.repeat(62)), isInputError);
    socket!.close(1001, 'x'.repeat(123));
  });
});
