import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { once } from 'node:events';
import { inspect } from 'node:util';
import { of } from 'rxjs';
import type { LobbySocket } from 'lobby-rx/lobby-server';
import { until } from '../until.js';
import { openGate, type OpenGate } from './gate.js';
import { enter, visit } from './visit.js';

describe('lobbyGate', () => {
  let gate: OpenGate;
  const at = (query = '') => `ws://127.0.0.1:${gate.port}/${query}`;
  afterEach(() => gate.close());

  it('once unsubscribed from, refuses pending players, keeps those who are in, and still frees slots', async () => {
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

    // Those that were being confirmed have slots now, which nobody will ever use.
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

  it('may be unsubscribed from by its own hooks, and then admits nobody', async () => {
    gate = await openGate({ isOriginAllowed: () => (gate.leave(), true) });
    const token = gate.reserve();
    const visited = await visit(at(`?token=${token}`));
    ok(visited.kind === 'refused');
    deepStrictEqual(
      [visited.status, visited.body, gate.emulator.playerState(token)],
      [503, 'gate_closed', 'reserved'],
    );
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

  it('leaves no timers behind', async () => {
    gate = await openGate({ firstMessage: true });
    const { scheduler, pass } = gate;
    for (const query of [`?token=${gate.reserve()}`, '?token=wrong', '', '?token=']) {
      const visited = await visit(at(query));
      if (visited.kind === 'open') visited.ws.terminate();
    }
    await until(() => gate.gone.length === 1);
    await until(() => scheduler.actions.length === 0);
    pass(0);
    deepStrictEqual([gate.log.length, scheduler.actions.length], [4, 0]);
  });

  it('completes when the server closes', async () => {
    gate = await openGate();
    let isComplete = false;
    gate.gate$.subscribe({ complete: () => (isComplete = true) });
    strictEqual(gate.server.listenerCount('upgrade'), 1);
    gate.server.close();
    await until(() => isComplete);
    gate.server.listen(0, '127.0.0.1');
    await once(gate.server, 'listening');
  });

  it('is shared, and starts again if it is subscribed to again', async () => {
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

  it('leaves plain HTTP requests to the server', async () => {
    gate = await openGate();
    strictEqual(await (await fetch(`http://127.0.0.1:${gate.port}/`)).text(), 'a page');
  });

  it('swallows the errors of log, thrown or rejected', async () => {
    for (const log of [
      () => {
        throw new Error('broken');
      },
      () => Promise.reject(new Error('broken')),
    ]) {
      gate = await openGate({ log: () => log() as unknown as undefined });
      await enter(at(`?token=${gate.reserve()}`));
      await until(() => gate.admitted.length === 1);
      await gate.close();
    }
    gate = await openGate();
  });

  it('keeps the token out of prints of the socket, and out of the log', async () => {
    gate = await openGate();
    const token = gate.reserve();
    const { ws } = await enter(at(`?token=${token}&name=x`));
    await visit(at(`?token=${token}`));
    await until(() => gate.admitted.length === 1);
    const [socket] = gate.admitted;
    const hidden = { depth: Infinity, showHidden: true };
    const prints = [inspect(socket, hidden), JSON.stringify(socket)];
    strictEqual(socket!.headers.upgrade, 'websocket');
    strictEqual(prints[1], '{"address":"127.0.0.1","url":"/?name=x"}');
    ok(!prints.join().includes('sec-websocket-key'));
    ws.close();
    await until(() => gate.gone.length === 1);
    prints.push(inspect(socket, hidden), JSON.stringify(gate.log), inspect(gate.log, hidden));
    for (const print of prints) ok(!print.includes(token), print);
    deepStrictEqual(
      gate.log.map(({ kind }) => kind),
      ['admitted', 'refused', 'gone'],
    );
  });
});
