import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { once } from 'node:events';
import { inspect } from 'node:util';
import { of } from 'rxjs';
import type { PlayerSocket } from 'lobby-rx/lobby-server';
import { virtualTime } from '../../virtual-time.js';
import { waitUntil } from '../../wait-until.js';
import { openGate, type OpenGate } from './gate.js';
import { connectPlayer, tryConnect } from './connect-player.js';

describe('lobbyGate', () => {
  let gate: OpenGate;
  const at = (query = '') => `ws://127.0.0.1:${gate.port}/${query}`;
  afterEach(() => gate.close());

  it('when unsubscribed from, refuses pending players, keeps admitted ones, and still frees slots', async () => {
    gate = await openGate({ holdRequests: true, token: 'message' });
    const [admittedToken, pendingToken] = [gate.reserveToken(), gate.reserveToken()];
    const { ws } = await connectPlayer(at());
    ws.send(admittedToken);
    await waitUntil(() => gate.heldRequests() === 1);
    gate.sendHeldRequests();
    await waitUntil(() => gate.admitted.length === 1);

    const pending = await connectPlayer(at());
    pending.ws.send(pendingToken);
    const silent = await connectPlayer(at());
    await waitUntil(() => gate.heldRequests() === 1);
    gate.unsubscribe();
    for (const { closed } of [pending, silent]) {
      deepStrictEqual(await closed, { code: 1001, reason: 'gate_closed' });
    }
    // The token that was being confirmed now has a slot that nobody will use.
    gate.sendHeldRequests();
    await waitUntil(() => gate.left.length === 1);
    deepStrictEqual(gate.left, [pendingToken]);
    strictEqual(gate.server.listenerCount('upgrade'), 0);

    gate.admitted[0]!.send('still here');
    strictEqual(String((await once(ws, 'message'))[0]), 'still here');
    ws.close();
    await waitUntil(() => gate.left.length === 2);
    deepStrictEqual([gate.left[1], gate.admitted.length], [admittedToken, 1]);
  });

  it('when unsubscribed from, refuses by HTTP those whose upgrade is not complete, and frees their slots', async () => {
    gate = await openGate({ holdRequests: true });
    const token = gate.reserveToken();
    const pending = tryConnect(at(`?token=${token}`));
    await waitUntil(() => gate.heldRequests() === 1);
    gate.unsubscribe();
    const refused = await pending;
    ok(refused.kind === 'refused');
    deepStrictEqual([refused.status, refused.body], [503, 'gate_closed']);
    gate.sendHeldRequests();
    await waitUntil(() => gate.left.length === 1);
    deepStrictEqual(gate.left, [token]);
  });

  it('can be unsubscribed from in its own hooks, and then admits nobody', async () => {
    gate = await openGate({ allowOrigin: () => (gate.unsubscribe(), true) });
    const token = gate.reserveToken();
    const result = await tryConnect(at(`?token=${token}`));
    ok(result.kind === 'refused');
    deepStrictEqual(
      [result.status, result.body, gate.emulator.playerState(token)],
      [503, 'gate_closed', 'reserved'],
    );
    await gate.close();

    const answers = () => {
      gate.unsubscribe();
      return of(undefined);
    };
    gate = await openGate({ client: { matchmaker: { players: { connected: answers } } } });
    const late = await tryConnect(at('?token=a'));
    ok(late.kind === 'refused' && late.body === 'gate_closed');
    deepStrictEqual([gate.left, gate.admitted], [['a'], []]);
    await gate.close();

    gate = await openGate({ log: ({ kind }) => kind === 'admitted' && gate.unsubscribe() });
    const { ws } = await connectPlayer(at(`?token=${gate.reserveToken()}`));
    strictEqual(gate.admitted.length, 1);
    ws.close();
    await waitUntil(() => gate.left.length === 1);
  });

  it('leaves no timers behind', async () => {
    const time = virtualTime();
    const { scheduler, pass } = time;
    gate = await openGate({ token: 'message', time });
    for (const message of ['wrong', '']) {
      const { ws, closed } = await connectPlayer(at());
      ws.send(message);
      await closed;
    }
    (await connectPlayer(at())).ws.terminate();
    const player = await connectPlayer(at());
    player.ws.send(gate.reserveToken());
    await waitUntil(() => gate.admitted.length === 1);
    player.ws.terminate();
    await waitUntil(() => gate.left.length === 1);
    await waitUntil(() => scheduler.actions.length === 0);
    pass(0);
    deepStrictEqual([gate.log.length, scheduler.actions.length], [5, 0]);
  });

  it('completes when the server closes', async () => {
    gate = await openGate();
    let isComplete = false;
    gate.gate$.subscribe({
      complete: () => {
        isComplete = true;
      },
    });
    strictEqual(gate.server.listenerCount('upgrade'), 1);
    gate.server.close();
    await waitUntil(() => isComplete);
    gate.server.listen(0, '127.0.0.1');
    await once(gate.server, 'listening');
  });

  it('is shared, and starts again if it is subscribed to again', async () => {
    gate = await openGate();
    const seen: PlayerSocket[] = [];
    const second = gate.gate$.subscribe(socket => seen.push(socket));
    await connectPlayer(at(`?token=${gate.reserveToken()}`));
    await waitUntil(() => gate.admitted.length === 1);
    strictEqual(seen[0], gate.admitted[0]);
    gate.unsubscribe();
    second.unsubscribe();
    strictEqual(gate.server.listenerCount('upgrade'), 0);
    const third = gate.gate$.subscribe(socket => seen.push(socket));
    const { ws } = await connectPlayer(at(`?token=${gate.reserveToken()}`));
    await waitUntil(() => seen.length === 2);
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
      await connectPlayer(at(`?token=${gate.reserveToken()}`));
      await waitUntil(() => gate.admitted.length === 1);
      await gate.close();
    }
    gate = await openGate();
  });

  it('keeps the token out of prints of the socket, and out of the log', async () => {
    gate = await openGate();
    const token = gate.reserveToken();
    const { ws } = await connectPlayer(at(`?token=${token}&name=x`));
    await tryConnect(at(`?token=${token}`));
    await waitUntil(() => gate.admitted.length === 1);
    const [socket] = gate.admitted;
    const hidden = { depth: Infinity, showHidden: true };
    const prints = [inspect(socket, hidden), JSON.stringify(socket)];
    strictEqual(socket!.headers.upgrade, 'websocket');
    strictEqual(prints[1], '{"address":"127.0.0.1","url":"/?name=x"}');
    ok(!prints.join().includes('sec-websocket-key'));
    ws.close();
    await waitUntil(() => gate.left.length === 1);
    prints.push(inspect(socket, hidden), JSON.stringify(gate.log), inspect(gate.log, hidden));
    for (const print of prints) ok(!print.includes(token), print);
    deepStrictEqual(
      gate.log.map(({ kind }) => kind),
      ['admitted', 'refused', 'left', 'freed'],
    );
  });
});
