import { deepStrictEqual, notStrictEqual, ok, strictEqual } from 'node:assert';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { firstValueFrom, lastValueFrom, Subject, toArray } from 'rxjs';
import type { WebSocket } from 'ws';
import { players, type GateLogEntry, type PlayerSocket } from 'lobby-rx/lobby-server';
import { runs } from '../../runs.js';
import { waitUntil } from '../../wait-until.js';
import { connectPlayer, tryConnect } from './connect-player.js';
import { frame, handshakeRequest } from './raw-client.js';
import { confirmations, eachFromElsewhere, openGate, type OpenGate } from './gate.js';

const GRACE = 30_000;

describe('a player of lobbyGate who comes back', () => {
  let gate: OpenGate;
  afterEach(() => gate.close());

  /** Sends this as the first message. */
  const present = async (text: string, query = '') => {
    const connected = await connectPlayer(`ws://127.0.0.1:${gate.port}/${query}`);
    connected.ws.send(text);
    return connected;
  };
  const refusalOf = async (text: string) => (await (await present(text)).closed).reason;
  const enter = async (query = '') => {
    const before = gate.admitted.length;
    const connected = await present(gate.reserveToken(), query);
    await waitUntil(() => gate.admitted.length === before + 1);
    return { ...connected, player: gate.admitted[before]! };
  };
  const statusesOf = (player: PlayerSocket) => {
    const statuses: string[] = [];
    player.status$.subscribe({
      next: status => statuses.push(status),
      complete: () => statuses.push('complete'),
    });
    return statuses;
  };
  const kinds = () => gate.log.map(({ kind }) => kind);

  it('has the same socket, without asking the service again, each time', async () => {
    gate = await openGate({ token: 'message', grace: GRACE });
    const first = await enter('?at=1');
    const { player } = first;
    const ticket = player.returnTicket;
    ok(/^return\.[\w-]{22}$/.test(ticket), ticket);
    const statuses = statusesOf(player);
    const heard: unknown[] = [];
    player.message$.subscribe(message => heard.push(message));
    let { ws } = first;
    for (let n = 1; n <= 3; n++) {
      ws.terminate();
      await waitUntil(() => statuses.at(-1) === 'away');
      strictEqual(player.send('lost'), false);
      gate.pass(GRACE - 1);
      ({ ws } = await present(ticket, `?at=${n + 1}`));
      const seen: string[] = [];
      ws.on('message', (data: Buffer) => seen.push(data.toString()));
      await waitUntil(() => statuses.at(-1) === 'open');
      strictEqual(player.send('welcome back'), true);
      ws.send(`message ${n}`);
      await waitUntil(() => heard.length === n && seen.length === 1);
      deepStrictEqual([seen, player.url, player.returnTicket], [['welcome back'], `/?at=${n + 1}`, ticket]);
    }
    ws.close(4010, 'bye');
    deepStrictEqual(await lastValueFrom(player.closed$), { code: 4010, reason: 'bye' });
    deepStrictEqual(heard, ['message 1', 'message 2', 'message 3']);
    deepStrictEqual(statuses.slice(-2), ['open', 'complete']);
    deepStrictEqual([gate.admitted.length, confirmations(gate), gate.left], [1, 1, [player.token]]);
    strictEqual(await refusalOf(ticket), 'expired');
  });

  it('is gone after the grace, or without one: their slot is freed, and the ticket expired', async () => {
    for (const grace of [GRACE, 0]) {
      gate = await openGate({ token: 'message', grace });
      const { ws, player } = await enter();
      const { returnTicket } = player;
      ws.terminate();
      if (grace > 0) {
        await waitUntil(() => kinds().includes('away'));
        gate.pass(grace);
      }
      deepStrictEqual(await lastValueFrom(player.closed$), { code: 1006, reason: '' });
      deepStrictEqual(gate.left, [player.token]);
      strictEqual(await refusalOf(returnTicket), 'expired');
      strictEqual(player.send('late'), false);
      strictEqual(confirmations(gate), 1);
      if (grace > 0) await gate.close();
    }
  });

  for (const code of [1001, 1002, 1011, 1012, 1013, 1014, 4000]) {
    it(`may come back after ${code}`, async () => {
      gate = await openGate({ token: 'message', grace: GRACE });
      const { ws, player } = await enter();
      ws.on('error', () => undefined);
      // Not `close` of ws, which refuses codes that only others send.
      rawSocketOf(ws).write(closeFrame(code));
      await waitUntil(() => kinds().includes('away'));
      const away = gate.log.find(({ kind }) => kind === 'away');
      strictEqual((away as { readonly code?: number }).code, code);
      await present(player.returnTicket);
      await waitUntil(() => kinds().includes('returned'));
      deepStrictEqual(gate.left, []);
    });
  }

  for (const code of [undefined, 1000, 1003, 3000, 3999, 4001, 4999]) {
    it(`is gone after ${code ?? 'a close frame without a code'}: they have said so`, async () => {
      gate = await openGate({ token: 'message', grace: GRACE });
      const { ws, player } = await enter();
      ws.close(code);
      deepStrictEqual(await lastValueFrom(player.closed$), { code: code ?? 1005, reason: '' });
      deepStrictEqual(gate.left, [player.token]);
      strictEqual(await refusalOf(player.returnTicket), 'expired');
    });
  }

  it('may come back after a frame that a proxy has broken, even before that connection has ended', async () => {
    gate = await openGate({ token: 'message', grace: GRACE });
    const { ws, player } = await enter();
    const statuses = statusesOf(player);
    // A close frame without a mask: Caddy sends it when it is reloaded.
    rawSocketOf(ws).write(Buffer.from([0x88, 0x02, 0x03, 0xe9]));
    await waitUntil(() => statuses.at(-1) === 'away');
    const away = gate.log.find(({ kind }) => kind === 'away');
    deepStrictEqual(away, { ...away, code: 1002, reason: 'WS_ERR_EXPECTED_MASK' });
    await present(player.returnTicket);
    await waitUntil(() => statuses.at(-1) === 'open');
    deepStrictEqual(gate.left, []);
  });

  it('is gone if they had not read for five seconds when the connection broke by such a frame', async () => {
    gate = await openGate({ token: 'message', grace: GRACE, maxBufferedAmount: 100_000 });
    const { ws, player } = await enter();
    ws.pause();
    while (player.bufferedAmount <= 100_000) player.send('x'.repeat(50_000));
    gate.pass(4_999);
    rawSocketOf(ws).write(Buffer.from([0x88, 0x02, 0x03, 0xe9]));
    await waitUntil(() => !player.send('x'));
    gate.pass(1);
    deepStrictEqual(await lastValueFrom(player.closed$), { code: 4413, reason: 'does not read' });
    deepStrictEqual(gate.left, [player.token]);
  });

  it('is gone at once if either side meant to end the connection', async () => {
    gate = await openGate({ token: 'message', grace: GRACE });
    const left = await enter();
    left.ws.close(1000);
    deepStrictEqual((await lastValueFrom(left.player.closed$)).code, 1000);
    const kicked = await enter();
    kicked.player.close(4001, 'kicked');
    deepStrictEqual(await lastValueFrom(kicked.player.closed$), { code: 4001, reason: 'kicked' });
    const cut = await enter();
    cut.player.terminate();
    deepStrictEqual((await lastValueFrom(cut.player.closed$)).code, 1006);
    const dropped = await enter();
    dropped.ws.close(1001);
    await waitUntil(() => kinds().includes('away'));
    dropped.player.close(4002, 'too long away');
    deepStrictEqual(await lastValueFrom(dropped.player.closed$), { code: 4002, reason: 'too long away' });
    strictEqual(gate.left.length, 4);
  });

  it('is gone if their close frame was followed by a close() of this side, however long they hold the connection', async () => {
    // Of ws, which has no virtual time.
    const drainTimeout = 40;
    gate = await openGate({ token: 'query', grace: GRACE, drainTimeout });
    for (const end of ['nothing', 'close', 'terminate'] as const) {
      const before = gate.admitted.length;
      const client = connect({ port: gate.port, host: '127.0.0.1', allowHalfOpen: true });
      client.on('error', () => undefined).resume();
      client.write(handshakeRequest(`/?token=${gate.reserveToken()}`));
      await waitUntil(() => gate.admitted.length === before + 1);
      const player = gate.admitted[before]!;
      const statuses = statusesOf(player);
      // A close frame with 1001.
      client.write(Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe9]));
      await waitUntil(() => !player.send('late'));
      if (end === 'close') player.close(4001, 'kicked');
      if (end === 'terminate') player.terminate();
      await waitUntil(() => statuses.length === 2);
      strictEqual(statuses[1], end === 'nothing' ? 'away' : 'complete');
      client.destroy();
    }
  });

  it('takes the place of the connection that they still seem to have, at once', async () => {
    gate = await openGate({ token: 'message', grace: GRACE });
    const { player, closed } = await enter();
    const statuses = statusesOf(player);
    const back = await present(player.returnTicket);
    deepStrictEqual(await closed, { code: 4409, reason: 'replaced' });
    await waitUntil(() => statuses.length === 3);
    deepStrictEqual(statuses, ['open', 'away', 'open']);
    deepStrictEqual(gate.left, []);
    back.ws.close(1000);
    await waitUntil(() => gate.left.length === 1);
  });

  it('may come back once a second: until then the gate is busy', async () => {
    gate = await openGate({ token: 'message', grace: GRACE });
    const { player } = await enter();
    const statuses = statusesOf(player);
    const back = await present(player.returnTicket);
    await waitUntil(() => statuses.length === 3);
    gate.pass(999);
    const again = await present(player.returnTicket);
    deepStrictEqual(await again.closed, { code: 4429, reason: 'busy' });
    strictEqual(back.ws.readyState, back.ws.OPEN);
    gate.pass(1);
    await present(player.returnTicket);
    strictEqual((await back.closed).code, 4409);
    await waitUntil(() => statuses.length === 5);
    deepStrictEqual(gate.left, []);
  });

  it('is not let in again after a close frame of their own, however long they hold that connection', async () => {
    // Of ws, which has no virtual time.
    gate = await openGate({ token: 'message', grace: GRACE, drainTimeout: 200 });
    const raw = connect({ port: gate.port, host: '127.0.0.1', allowHalfOpen: true });
    raw.on('error', () => undefined).write(handshakeRequest('/'));
    await once(raw, 'data');
    raw.resume().write(frame(1, gate.reserveToken()));
    await waitUntil(() => gate.admitted.length === 1);
    const [player] = gate.admitted;
    raw.write(frame(8, '\x0f\xa1bye', true, 'latin1'));
    await waitUntil(() => !player!.send('late'));
    const { closed } = await present(player!.returnTicket);
    deepStrictEqual([(await closed).reason, kinds()], ['expired', ['admitted', 'left', 'freed', 'refused']]);
    raw.destroy();
  });

  it('has had all messages of the connection that has dropped, compressed ones, too', async () => {
    gate = await openGate({ token: 'message', grace: GRACE, perMessageDeflate: { threshold: 0 } });
    const { ws, player } = await enter();
    const heard: string[] = [];
    player.message$.subscribe(message => heard.push(String(message).slice(0, 2)));
    const text = randomBytes(20_000).toString('base64');
    for (let n = 10; n < 50; n++) ws.send(`${n}${text}`, { compress: true });
    await new Promise(resolve => ws.send('50', resolve));
    (ws as unknown as { _socket: Socket })._socket.end();
    await waitUntil(() => kinds().includes('away'));
    (await present(player.returnTicket)).ws.send('51');
    await waitUntil(() => heard.at(-1) === '51');
    deepStrictEqual(
      heard.map(Number),
      Array.from({ length: 42 }, (_, i) => i + 10),
    );
  });

  it('may be closed by who hears that they are away, or open: the figures stay right', async () => {
    for (const at of ['away', 'returned'] as const) {
      const logged: string[] = [];
      const log = ({ kind }: GateLogEntry) => {
        logged.push(kind);
        if (kind === at) gate.admitted[0]!.close();
      };
      gate = await openGate({ token: 'message', grace: GRACE, log });
      const { ws, player } = await enter();
      const { returnTicket } = player;
      ws.terminate();
      await waitUntil(() => logged.includes('away'));
      if (at === 'returned') await present(returnTicket);
      await waitUntil(() => logged.includes('left'));
      const { open, away } = await firstValueFrom(gate.stats$);
      deepStrictEqual([open, away], [0, 0]);
      await gate.close();
    }
  });

  it('is refused, and that is logged, if who hears that they are away closes them while they come back', async () => {
    gate = await openGate({ token: 'message', grace: GRACE });
    const { player } = await enter();
    player.status$.subscribe(status => {
      if (status === 'away') player.close();
    });
    strictEqual(await refusalOf(player.returnTicket), 'expired');
    deepStrictEqual(kinds().slice(-2).sort(), ['freed', 'refused']);
  });

  it('is one of the players all the while', async () => {
    gate = await openGate({ token: 'message', grace: GRACE });
    const counts: number[] = [];
    gate.gate$.pipe(players()).subscribe(({ count }) => counts.push(count));
    const { ws, player } = await enter();
    ws.terminate();
    await waitUntil(() => kinds().includes('away'));
    const { ws: again } = await present(player.returnTicket);
    await waitUntil(() => kinds().includes('returned'));
    deepStrictEqual(counts, [0, 1]);
    again.close();
    await waitUntil(() => counts.length === 3);
  });

  it('is subject to the rules of origin, address and shares', async () => {
    let isAllowed = true;
    const rule = () => isAllowed;
    for (const config of [{ allowOrigin: rule }, { allowAddress: rule }]) {
      gate = await openGate({ token: 'query', grace: GRACE, ...config });
      const url = (token: string) => `ws://127.0.0.1:${gate.port}/?token=${token}`;
      const { ws } = await connectPlayer(url(gate.reserveToken()));
      await waitUntil(() => gate.admitted.length === 1);
      const { returnTicket } = gate.admitted[0]!;
      ws.terminate();
      await waitUntil(() => kinds().includes('away'));
      isAllowed = false;
      const refused = await tryConnect(url(returnTicket));
      ok(refused.kind === 'refused' && [403, 429].includes(refused.status));
      isAllowed = true;
      await connectPlayer(url(returnTicket));
      await gate.close();
    }
    gate = await openGate();
  });

  it('has a ticket that is in no print, log or request', async () => {
    gate = await openGate({ token: 'query', grace: GRACE });
    const url = (token: string) => `ws://127.0.0.1:${gate.port}/?name=a&token=${token}&copy=${token}`;
    const { ws } = await connectPlayer(url(gate.reserveToken()));
    await waitUntil(() => gate.admitted.length === 1);
    const player = gate.admitted[0]!;
    const { returnTicket } = player;
    ws.terminate();
    await waitUntil(() => kinds().includes('away'));
    const back = await connectPlayer(url(returnTicket));
    await waitUntil(() => kinds().includes('returned'));
    back.ws.close(1000, returnTicket);
    await waitUntil(() => kinds().includes('left'));
    const hidden = { depth: Infinity, showHidden: true };
    const prints = [inspect(player, hidden), JSON.stringify(player), inspect(gate.log, hidden), player.url];
    for (const print of prints) ok(!print.includes(returnTicket), print);
    strictEqual(player.url, '/?name=a&copy=[secret]');
    ok(gate.emulator.requests.every(request => !inspect(request, hidden).includes(returnTicket)));
  });

  it('counts in stats$ as away, then as open, then as neither', async () => {
    gate = await openGate({ token: 'message', grace: GRACE });
    const figures: (readonly number[])[] = [];
    const look = () => {
      const watching = gate.stats$.subscribe(({ open, away }) => figures.push([open, away]));
      watching.unsubscribe();
    };
    const { ws, player } = await enter();
    await waitUntil(() => kinds().includes('admitted'));
    look();
    ws.terminate();
    await waitUntil(() => kinds().includes('away'));
    look();
    const back = await present(player.returnTicket);
    await waitUntil(() => kinds().includes('returned'));
    look();
    back.ws.terminate();
    await waitUntil(() => kinds().filter(kind => kind === 'away').length === 2);
    look();
    gate.pass(GRACE);
    look();
    deepStrictEqual(figures, [
      [1, 0],
      [0, 1],
      [1, 0],
      [0, 1],
      [0, 0],
    ]);
  });

  it('has their slot freed exactly once, in whatever order players drop, return, leave and are drained', async function () {
    this.timeout(120_000);
    const steps = fc.array(
      fc.record({
        who: fc.nat({ max: 7 }),
        what: fc.constantFrom('drop', 'return', 'return twice', 'forge', 'leave', 'kick', 'wait'),
      }),
      { maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async plan => {
        const drain$ = new Subject<void>();
        gate = await openGate({
          token: 'message',
          grace: GRACE,
          drain$,
          addressOf: eachFromElsewhere(),
        });
        let isComplete = false;
        gate.gate$.subscribe({
          complete: () => {
            isComplete = true;
          },
        });
        const seats: Awaited<ReturnType<typeof enter>>[] = [];
        for (let i = 0; i < 8; i++) seats.push(await enter());
        const isIn = (player: PlayerSocket) => !gate.left.includes(player.token);
        for (const { who, what } of plan) {
          const seat = seats[who]!;
          const { player } = seat;
          const { returnTicket } = player;
          if (what === 'drop') seat.ws.terminate();
          if (what === 'leave') seat.ws.close(1000);
          if (what === 'kick') player.close(4001);
          if (what === 'wait') gate.pass(GRACE / 4);
          if (what === 'forge') strictEqual(await refusalOf(`${returnTicket}x`), 'expired');
          if (what.startsWith('return')) {
            const returned = [await present(returnTicket)];
            if (what === 'return twice') returned.push(await present(returnTicket));
            seat.ws = returned.at(-1)!.ws;
            await waitUntil(() => gate.log.some(({ kind }) => kind === 'returned') || !isIn(player));
          }
        }
        drain$.next();
        await waitUntil(() => isComplete);
        deepStrictEqual([...gate.left].sort(), seats.map(({ player }) => player.token).sort());
        const left = await Promise.all(
          seats.map(({ player }) => lastValueFrom(player.closed$.pipe(toArray()))),
        );
        ok(left.every(({ length }) => length === 1));
        deepStrictEqual(gate.log.at(-1)?.kind, 'drained');
        await gate.close();
      }),
      { numRuns: runs(200) },
    );
    gate = await openGate();
  });

  it('has a ticket of 128 random bits, of their own', async () => {
    gate = await openGate({ token: 'message', grace: GRACE });
    const [ada, ben] = [await enter(), await enter()];
    notStrictEqual(ada.player.returnTicket, ben.player.returnTicket);
    strictEqual(Buffer.from(ada.player.returnTicket.slice('return.'.length), 'base64url').length, 16);
  });
});

/** The connection of a client of ws, which sends only what a client may send. */
function rawSocketOf(ws: WebSocket): Socket {
  return (ws as unknown as { _socket: Socket })._socket;
}

/** A close frame, masked with zeros. */
function closeFrame(code: number): Buffer {
  return Buffer.from([0x88, 0x82, 0, 0, 0, 0, code >> 8, code & 0xff]);
}
