import { deepStrictEqual } from 'node:assert';
import { firstValueFrom, map, merge, mergeMap, tap, throwError } from 'rxjs';
import { StatusError } from 'lobby-rx';
import type { GateStats } from 'lobby-rx/lobby-server';
import { waitUntil } from '../../../wait-until.js';
import { connectPlayer, tryConnect } from '../connect-player.js';
import { eachFromElsewhere, openGate, type OpenGate } from '../gate.js';
import { NO_FIGURES } from '../no-figures.js';

describe('stats$ of a gate', () => {
  let gate: OpenGate;
  const at = (query = '') => `ws://127.0.0.1:${gate.port}/${query}`;
  afterEach(() => gate.close());

  it('can be followed for a day of virtual time', async () => {
    gate = await openGate();
    const subscription = gate.stats$.subscribe();
    gate.pass(86_400_000);
    subscription.unsubscribe();
  });

  it('emits at once, then once a second if something has changed, and completes with the server', async () => {
    gate = await openGate({ token: 'message', holdRequests: true });
    const seen: GateStats[] = [];
    let isComplete = false;
    gate.stats$.subscribe({
      next: stats => seen.push(stats),
      complete: () => {
        isComplete = true;
      },
    });
    deepStrictEqual(seen, [NO_FIGURES]);
    gate.pass(5_000);
    deepStrictEqual(seen, [NO_FIGURES]);

    const next = (change: Partial<GateStats>) => {
      const before = { ...seen.at(-1)! };
      gate.pass(1_000);
      deepStrictEqual(seen.at(-1), { ...before, ...change });
    };
    const { ws, closed } = await connectPlayer(at());
    next({ waiting: 1 });
    ws.send(gate.reserveToken());
    await waitUntil(() => gate.heldRequests() === 1);
    next({ waiting: 0, pending: 1 });
    gate.sendHeldRequests();
    await waitUntil(() => gate.admitted.length === 1);
    next({ pending: 0, open: 1, admitted: 1 });
    const present = async (token: string) => {
      const stranger = await connectPlayer(at());
      stranger.ws.send(token);
      return stranger;
    };
    for (let i = 0; i < 2; i++) await (await present('')).closed;
    next({ refused: { no_token: 2 } });
    gate.emulator.fault({ kind: 'html', status: 503 });
    const lost = await present(gate.reserveToken());
    await waitUntil(() => gate.heldRequests() === 1);
    gate.sendHeldRequests();
    await lost.closed;
    next({ unresolved: 1, refused: { no_token: 2, outcome_unknown: 1 } });
    gate.pass(10_000);
    deepStrictEqual(seen.at(-1)!.unresolved, 0);
    ws.close();
    await closed;
    await waitUntil(() => gate.left.length === 1);
    next({ open: 0, freed: 2 });
    await gate.close();
    deepStrictEqual(isComplete, true);
    gate = await openGate();
  });

  it('emits the last figures when the server closes', async () => {
    gate = await openGate();
    for (let i = 0; i < 20; i++) await connectPlayer(at(`?token=${gate.reserveToken()}`));
    const opens: number[] = [];
    const complete = new Promise<void>(resolve => {
      gate.stats$.subscribe({ next: ({ open }) => opens.push(open), complete: resolve });
    });
    await gate.close();
    await complete;
    deepStrictEqual(opens, [20, 0]);
    gate = await openGate();
  });

  it('counts a player as open from when the gate emits them to when they are closed', async () => {
    gate = await openGate({ grace: 30_000 });
    const counts: (readonly [string, number, number])[] = [];
    const count = (when: string) => {
      const reading = gate.stats$.subscribe(({ open, away }) => counts.push([when, open, away]));
      reading.unsubscribe();
    };
    const change$ = gate.gate$.pipe(
      tap(() => count('emitted')),
      mergeMap(({ status$, closed$ }) => merge(status$, closed$.pipe(map(() => 'closed')))),
    );
    change$.subscribe(count);
    const { ws } = await connectPlayer(at(`?token=${gate.reserveToken()}`));
    await waitUntil(() => gate.admitted.length === 1);
    ws.terminate();
    await waitUntil(() => counts.at(-1)![0] === 'away');
    gate.pass(30_000);
    deepStrictEqual(counts, [
      ['emitted', 1, 0],
      ['open', 1, 0],
      ['away', 0, 1],
      ['closed', 0, 0],
    ]);
  });

  it('does not count a player as open who had left when the service said OK', async () => {
    gate = await openGate({ holdRequests: true, token: 'message' });
    const { ws, closed } = await connectPlayer(at());
    ws.send(gate.reserveToken());
    await waitUntil(() => gate.heldRequests() === 1);
    ws.close();
    await closed;
    gate.sendHeldRequests();
    await waitUntil(() => gate.left.length === 1);
    const stats = await firstValueFrom(gate.stats$);
    deepStrictEqual(stats, { ...NO_FIGURES, freed: 1 });
  });

  it('counts hooks that fail, and at most 64 reasons', async () => {
    let nth = 0;
    const connected = () =>
      throwError(() => new StatusError(400, { method: 'POST', url: '/' }, { code: `CODE_${nth++}` }));
    gate = await openGate({
      addressOf: eachFromElsewhere(),
      client: { matchmaker: { players: { connected } } },
      allowOrigin: origin => {
        if (origin === 'a') throw new Error('broken');
        return true;
      },
    });
    await tryConnect(at('?token=a'), { origin: 'a' });
    for (let i = 0; i < 70; i++) await tryConnect(at(`?token=${i}`));
    const { refused, hookFailures } = await firstValueFrom(gate.stats$);
    deepStrictEqual(
      [hookFailures, Object.keys(refused).length, refused.CODE_0, refused.hook_failed, refused.other],
      [1, 64, 1, 1, 8],
    );
  });
});
