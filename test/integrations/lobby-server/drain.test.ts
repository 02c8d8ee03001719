import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { EMPTY, NEVER, of, Subject, throwError } from 'rxjs';
import { StatusError } from 'lobby-rx';
import { waitUntil } from '../../wait-until.js';
import { connectPlayer, tryConnect } from './connect-player.js';
import { eachFromElsewhere, openGate, type OpenGate } from './gate.js';

describe('drain$ of lobbyGate', () => {
  let gate: OpenGate;
  const at = (token: string) => `ws://127.0.0.1:${gate.port}/?token=${token}`;
  afterEach(() => gate.close());

  const enter = async (count: number) => {
    const before = gate.admitted.length;
    const tokens = Array.from({ length: count }, () => gate.reserveToken());
    const players = await Promise.all(tokens.map(token => connectPlayer(at(token))));
    await waitUntil(() => gate.admitted.length === before + count);
    return players;
  };
  const completion = () => {
    const state = { isComplete: false };
    gate.gate$.subscribe({
      complete: () => {
        state.isComplete = true;
      },
    });
    return state;
  };

  it('closes every player, refuses everyone else, and completes the gate once every slot is free', async () => {
    const drain$ = new Subject<void>();
    const freeing: Subject<void>[] = [];
    gate = await openGate({
      drain$,
      grace: 30_000,
      freeSlot: () => {
        const freed$ = new Subject<void>();
        freeing.push(freed$);
        return freed$;
      },
    });
    const state = completion();
    const players = await enter(3);
    players[2]!.ws.terminate();
    await waitUntil(() => gate.log.some(({ kind }) => kind === 'away'));
    drain$.next();
    for (const { closed } of players.slice(0, 2)) {
      deepStrictEqual(await closed, { code: 1001, reason: 'gate_closed' });
    }
    await waitUntil(() => freeing.length === 3);
    const late = await tryConnect(at(gate.reserveToken()));
    ok(late.kind === 'refused');
    deepStrictEqual([late.status, late.body], [503, 'gate_closed']);
    for (const freed$ of freeing) {
      strictEqual(state.isComplete, false);
      freed$.complete();
    }
    deepStrictEqual([state.isComplete, gate.server.listenerCount('upgrade')], [true, 0]);
    const [drained] = gate.log.filter(({ kind }) => kind === 'drained');
    deepStrictEqual(drained, { kind: 'drained', at: gate.scheduler.now(), freed: 3, failed: 0 });
  });

  it('completes the gate after the last player has heard that they are gone, and admits nobody any more', async () => {
    const drain$ = new Subject<void>();
    gate = await openGate({ drain$, freeSlot: () => undefined });
    await enter(1);
    const heard: string[] = [];
    gate.admitted[0]!.closed$.subscribe(() => heard.push('closed'));
    gate.gate$.subscribe({ complete: () => heard.push('complete') });
    drain$.next();
    await waitUntil(() => heard.length === 2);
    deepStrictEqual(heard, ['closed', 'complete']);
    gate.gate$.subscribe({ complete: () => heard.push('complete again') });
    deepStrictEqual([heard.at(-1), gate.server.listenerCount('upgrade')], ['complete again', 0]);
  });

  it('frees the slots of tokens that were being confirmed, and of unresolved ones', async () => {
    const drain$ = new Subject<void>();
    gate = await openGate({ drain$, holdRequests: true });
    const state = completion();
    gate.emulator.fault({ kind: 'html', status: 503 });
    const lost = tryConnect(at(gate.reserveToken()));
    await waitUntil(() => gate.heldRequests() === 1);
    gate.sendHeldRequests();
    await lost;
    const pending = tryConnect(at(gate.reserveToken()));
    await waitUntil(() => gate.heldRequests() === 1);
    drain$.next();
    ok((await pending).kind === 'refused');
    deepStrictEqual([gate.unresolved.length, state.isComplete], [1, false]);
    gate.sendHeldRequests();
    await waitUntil(() => state.isComplete);
    deepStrictEqual(gate.left.length, 1);
  });

  it('calls freeSlot again until the slot is free, and says how many could not be freed within five minutes', async () => {
    const drain$ = new Subject<void>();
    const code = 'SOME_CODE';
    const answer = (status: number) => new StatusError(status, { method: 'DELETE', url: '/' }, { code });
    const calls = new Map<string, number>();
    const outcomes: readonly ((call: number) => number | undefined)[] = [
      () => 503,
      () => 400,
      call => (call < 4 ? 503 : undefined),
    ];
    gate = await openGate({
      drain$,
      drainTimeout: 300_000,
      addressOf: eachFromElsewhere(),
      freeSlot: token => {
        const call = (calls.get(token) ?? 0) + 1;
        calls.set(token, call);
        const status = outcomes[[...calls.keys()].indexOf(token)]!(call);
        return status === undefined ? EMPTY : throwError(() => answer(status));
      },
    });
    const state = completion();
    await enter(3);
    drain$.next();
    await waitUntil(() => {
      gate.pass(10_000);
      return state.isComplete;
    });
    const [unfreed, ...others] = [...calls.values()];
    ok(unfreed! > 8, `${unfreed} calls`);
    deepStrictEqual(others, [1, 4]);
    deepStrictEqual(gate.log.at(-1), { ...gate.log.at(-1)!, kind: 'drained', freed: 2, failed: 1 });
    const freed = gate.log.flatMap(entry => (entry.kind === 'freed' ? [[entry.why, entry.attempts]] : []));
    deepStrictEqual(freed, [
      ['left', 1],
      ['left', 4],
    ]);
  });

  it('waits for no slot longer than five minutes', async () => {
    const drain$ = new Subject<void>();
    gate = await openGate({ drain$, drainTimeout: 400_000, freeSlot: () => NEVER });
    const state = completion();
    await enter(1);
    drain$.next();
    await waitUntil(() => gate.log.some(({ kind }) => kind === 'left'));
    gate.pass(299_999);
    strictEqual(state.isComplete, false);
    gate.pass(1);
    strictEqual(state.isComplete, true);
  });

  it('completes the gate after drainTimeout, and says which slots are not free: those that wait for their turn, too', async () => {
    const drain$ = new Subject<void>();
    let calls = 0;
    gate = await openGate({
      drain$,
      addressOf: eachFromElsewhere(),
      maxPending: 512,
      freeSlot: () => (calls++ < 2 ? EMPTY : NEVER),
    });
    const state = completion();
    await enter(70);
    drain$.next();
    await waitUntil(() => gate.log.filter(({ kind }) => kind === 'left').length === 70);
    gate.pass(19_999);
    deepStrictEqual([state.isComplete, calls], [false, 66]);
    gate.pass(1);
    // Nothing is begun any more.
    deepStrictEqual([state.isComplete, calls], [true, 66]);
    const last = gate.log.slice(-69);
    deepStrictEqual(
      last.map(({ kind }) => kind),
      [...Array.from({ length: 68 }, () => 'hook_failed'), 'drained'],
    );
    deepStrictEqual(last.at(-1), { kind: 'drained', at: gate.scheduler.now(), freed: 2, failed: 68 });
  });

  it('counts after drainTimeout the token that the service has not answered yet', async () => {
    const drain$ = new Subject<void>();
    gate = await openGate({ drain$, holdRequests: true, clientConfig: { timeout: 60_000 } });
    const state = completion();
    const pending = tryConnect(at(gate.reserveToken()));
    await waitUntil(() => gate.heldRequests() === 1);
    drain$.next();
    await pending;
    gate.pass(20_000);
    strictEqual(state.isComplete, true);
    const drained = { kind: 'drained', at: gate.scheduler.now(), freed: 0, failed: 1 };
    deepStrictEqual(gate.log.at(-1), drained);
  });

  it('may be empty or fail, which drains nothing; what emits at once lets nobody in', async () => {
    for (const drain$ of [EMPTY, throwError(() => new Error('no'))]) {
      gate = await openGate({ drain$ });
      const state = completion();
      await enter(1);
      strictEqual(state.isComplete, false);
      await gate.close();
    }
    gate = await openGate({ drain$: of(0) });
    strictEqual(completion().isComplete, true);
    deepStrictEqual([gate.server.listenerCount('upgrade'), gate.log.at(-1)?.kind], [0, 'drained']);
  });
});
