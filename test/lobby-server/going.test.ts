import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { defer, lastValueFrom, of, Subject, takeUntil, throwError, toArray } from 'rxjs';
import { InputError } from 'lobby-rx';
import { players, type LobbySocket } from 'lobby-rx/lobby-server';
import { until } from '../until.js';
import { virtualTime } from '../virtual-time.js';
import { openGate, type OpenGate } from './gate.js';
import { knock } from './knock.js';
import { enter, visit } from './visit.js';

const pending = ({ emulator }: OpenGate, token: string) => emulator.playerState(token) === 'reserved';

describe('a lobby gate, and players who go', () => {
  let gate: OpenGate;
  const at = (query = '') => `ws://127.0.0.1:${gate.port}/${query}`;
  afterEach(() => gate.close());

  const socketsOf = ({ server }: OpenGate) => {
    const sockets: Socket[] = [];
    server.on('connection', socket => sockets.push(socket));
    return sockets;
  };
  const waysToGo: readonly (readonly [string, (socket: Socket) => void])[] = [
    ['says goodbye', socket => socket.end()],
    ['is cut', socket => socket.destroy()],
    ['is reset', socket => socket.resetAndDestroy()],
    ['says something before he was answered', socket => socket.write('x')],
    ['says goodbye behind what nobody has read', socket => socket.end('x'.repeat(1_000_000))],
  ];
  for (const [how, go] of waysToGo) {
    it(`admits nobody whose connection ${how} while his token is being confirmed, and tells his token once`, async () => {
      gate = await openGate({ isHeld: true });
      const token = gate.reserve();
      const sockets = socketsOf(gate);
      const client = await knock(gate.port, `/?token=${token}`);
      await until(() => gate.waiting() === 1);
      go(client);
      await until(() => sockets[0]!.destroyed);
      ok(pending(gate, token) && gate.gone.length === 0);

      gate.goOn();
      await until(() => gate.gone.length === 1);
      deepStrictEqual(
        [gate.gone, gate.admitted, gate.emulator.playerState(token)],
        [[token], [], 'connected'],
      );
    });
  }

  it('tells no token of who went before his token was refused', async () => {
    gate = await openGate({ isHeld: true });
    const sockets = socketsOf(gate);
    const client = await knock(gate.port, '/?token=wrong');
    await until(() => gate.waiting() === 1);
    client.destroy();
    await until(() => sockets[0]!.destroyed);
    gate.goOn();
    await until(() => gate.emulator.requests.some(({ status }) => status === 400));
    await visit(at('?token='));
    deepStrictEqual([gate.gone, gate.admitted], [[], []]);
  });

  it('tells no token of who said a wrong one and went', async () => {
    gate = await openGate({ isHeld: true, firstMessage: true });
    const { ws, ending } = await enter(at());
    ws.send('wrong');
    await until(() => gate.waiting() === 1);
    ws.close();
    await ending;
    gate.goOn();
    await until(() => gate.emulator.requests.some(({ status }) => status === 400));
    await visit(at('?token='));
    deepStrictEqual([gate.gone, gate.admitted], [[], []]);
  });

  it('admits nobody who has said his token and goes before it is confirmed', async () => {
    gate = await openGate({ isHeld: true, firstMessage: true });
    const token = gate.reserve();
    const { ws, ending } = await enter(at());
    ws.send(token);
    ws.close();
    await ending;
    gate.goOn();
    await until(() => gate.gone.length === 1);
    deepStrictEqual([gate.gone, gate.admitted], [[token], []]);
  });

  it('forgets who goes before he has said anything', async () => {
    gate = await openGate({ firstMessage: true, maxWaiting: 1 });
    for (let i = 0; i < 3; i++) {
      const { ws, ending } = await enter(at());
      ws.terminate();
      await ending;
    }
    deepStrictEqual([gate.gone, gate.admitted, gate.log], [[], [], []]);
  });

  it('tells the token of a player once when he goes, however he goes', async () => {
    gate = await openGate();
    const tokens = [gate.reserve(), gate.reserve(), gate.reserve()];
    const visits = [];
    for (const token of tokens) visits.push(await enter(at(`?token=${token}`)));
    await until(() => gate.admitted.length === 3);
    const ends: unknown[] = [];
    for (const { closed$ } of gate.admitted) closed$.subscribe(end => ends.push(end));

    visits[0]!.ws.close(4000, 'bored');
    await until(() => gate.gone.length === 1);
    visits[1]!.ws.terminate();
    await until(() => gate.gone.length === 2);
    gate.admitted[2]!.close(4001, 'kicked');
    gate.admitted[2]!.close(4002, 'kicked again');
    await until(() => gate.gone.length === 3);

    deepStrictEqual(gate.gone, tokens);
    deepStrictEqual(ends, [
      { code: 4000, reason: 'bored' },
      { code: 1006, reason: '' },
      { code: 4001, reason: 'kicked' },
    ]);
    deepStrictEqual(await visits[2]!.ending, { code: 4001, reason: 'kicked' });
    // Late, but told.
    deepStrictEqual(await lastValueFrom(gate.admitted[0]!.closed$), { code: 4000, reason: 'bored' });
    deepStrictEqual(await lastValueFrom(gate.admitted[0]!.message$.pipe(toArray())), []);
    gate.admitted[0]!.send('nobody hears it');
    gate.admitted[0]!.close();
  });

  it('turns away who waits, keeps who is in, and still frees slots after it was left', async () => {
    gate = await openGate({ isHeld: true, firstMessage: true });
    const [inside, checked, saying] = [gate.reserve(), gate.reserve(), gate.reserve()];
    const first = enter(at(`?token=${inside}`));
    await until(() => gate.waiting() === 1);
    gate.goOn();
    const { ws } = await first;
    await until(() => gate.admitted.length === 1);

    const waiting = visit(at(`?token=${checked}`));
    const said = await enter(at());
    said.ws.send(saying);
    const silent = await enter(at());
    await until(() => gate.waiting() === 2);
    gate.leave();
    const turnedAway = await waiting;
    ok(turnedAway.kind === 'refused');
    deepStrictEqual([turnedAway.status, turnedAway.body], [503, 'gate_closed']);
    deepStrictEqual(await said.ending, { code: 1001, reason: 'gate_closed' });
    deepStrictEqual(await silent.ending, { code: 1001, reason: 'gate_closed' });

    // What was being confirmed has a slot now, which nobody will ever use.
    gate.goOn();
    await until(() => gate.gone.length === 2);
    deepStrictEqual([...gate.gone].sort(), [checked, saying].sort());
    strictEqual(gate.server.listenerCount('upgrade'), 0);

    gate.admitted[0]!.send('still here');
    strictEqual(String((await once(ws, 'message'))[0]), 'still here');
    ws.close();
    await until(() => gate.gone.length === 3);
    deepStrictEqual([gate.gone[2], gate.admitted.length], [inside, 1]);
  });

  it('frees the slot by whatever the hook returns, and tells the log alone where that fails', async () => {
    let freed = 0;
    const hooks: readonly ((token: string) => unknown)[] = [
      token => {
        throw new Error(`broken by ${token}`);
      },
      () => Promise.reject(new Error('refused')),
      () => throwError(() => new InputError('token', 'one', 'none')),
      () => {
        throw Object.create(null);
      },
      () => Promise.resolve(freed++),
      () => defer(() => of(freed++)),
      () => setTimeout(() => freed++),
      () => null,
    ];
    let calls = 0;
    gate = await openGate({ onGone: token => hooks[calls++]!(token) as Promise<void> });
    for (let i = 1; i <= hooks.length; i++) {
      const { ws } = await enter(at(`?token=${gate.reserve()}`));
      ws.close();
      await until(() => calls === i);
    }
    await until(() => freed === 3);
    deepStrictEqual(
      gate.log.flatMap(entry => (entry.kind === 'hook_failed' ? [[entry.hook, entry.error]] : [])),
      [
        ['onGone', 'Error'],
        ['onGone', 'Error'],
        ['onGone', 'InputError: token must be one; got none'],
        ['onGone', 'object'],
      ],
    );
  });

  it('may be left by its own hooks, and then admits nobody', async () => {
    gate = await openGate({ isOriginAllowed: () => (gate.leave(), true) });
    const token = gate.reserve();
    const visited = await visit(at(`?token=${token}`));
    ok(visited.kind === 'refused');
    deepStrictEqual([visited.status, visited.body, pending(gate, token)], [503, 'gate_closed', true]);
    await gate.close();

    const answers = () => {
      gate.leave();
      return of(undefined);
    };
    gate = await openGate({ client: { matchmaker: { players: { connected: answers } } } });
    const late = await visit(at('?token=a'));
    ok(late.kind === 'refused' && late.body === 'gate_closed');
    deepStrictEqual([gate.gone, gate.admitted], [['a'], []]);
    await gate.close();

    gate = await openGate({ log: ({ kind }) => kind === 'admitted' && gate.leave() });
    const { ws } = await enter(at(`?token=${gate.reserve()}`));
    strictEqual(gate.admitted.length, 1);
    ws.close();
    await until(() => gate.gone.length === 1);
  });

  it('leaves no timer behind, whoever came and went', async () => {
    const { scheduler, pass } = virtualTime();
    gate = await openGate({ scheduler, firstMessage: true });
    for (const query of [`?token=${gate.reserve()}`, '?token=wrong', '', '?token=']) {
      const visited = await visit(at(query));
      if (visited.kind === 'open') visited.ws.terminate();
    }
    await until(() => gate.gone.length === 1);
    await until(() => scheduler.actions.length === 0);
    pass(0);
    deepStrictEqual([gate.log.length, scheduler.actions.length], [4, 0]);
  });

  it('completes when the server has closed', async () => {
    gate = await openGate();
    let isComplete = false;
    gate.gate$.subscribe({ complete: () => (isComplete = true) });
    strictEqual(gate.server.listenerCount('upgrade'), 1);
    gate.server.close();
    await until(() => isComplete);
    gate.server.listen(0, '127.0.0.1');
    await once(gate.server, 'listening');
  });

  it('is shared, and begins anew when it is subscribed to again', async () => {
    gate = await openGate();
    const seen: LobbySocket[] = [];
    const second = gate.gate$.subscribe(socket => seen.push(socket));
    await enter(at(`?token=${gate.reserve()}`));
    await until(() => gate.admitted.length === 1);
    strictEqual(seen[0], gate.admitted[0]);
    gate.leave();
    second.unsubscribe();
    strictEqual(gate.server.listenerCount('upgrade'), 0);
    const third = gate.gate$.subscribe(socket => seen.push(socket));
    const { ws } = await enter(at(`?token=${gate.reserve()}`));
    await until(() => seen.length === 2);
    third.unsubscribe();
    ws.terminate();
  });
});

describe('players', () => {
  let gate: OpenGate;
  afterEach(() => gate.close());

  it('are those who are in, from nobody to the last who leaves', async () => {
    gate = await openGate();
    const closing$ = new Subject<void>();
    const seen: [number, number, number][] = [];
    const open$ = gate.gate$.pipe(takeUntil(closing$));
    const over = lastValueFrom(open$.pipe(players(), toArray()));
    open$.pipe(players()).subscribe(({ count, joined, left }) => {
      seen.push([count, joined.length, left.length]);
    });
    const visits = [];
    for (let i = 0; i < 2; i++) {
      visits.push(await enter(`ws://127.0.0.1:${gate.port}/?token=${gate.reserve()}`));
    }
    await until(() => seen.length === 3);
    closing$.next();
    for (const { ws } of visits) ws.close();
    const all = await over;
    deepStrictEqual(seen, [
      [0, 0, 0],
      [1, 1, 0],
      [2, 1, 0],
      [1, 0, 1],
      [0, 0, 1],
    ]);
    deepStrictEqual([...all[2]!.sockets], gate.admitted);
  });
});
