import { deepStrictEqual } from 'node:assert';
import { lastValueFrom, Subject, takeUntil, toArray } from 'rxjs';
import { players } from 'lobby-rx/lobby-server';
import { waitUntil } from '../../wait-until.js';
import { openGate, type OpenGate } from './gate.js';
import { connectPlayer } from './connect-player.js';

describe('players', () => {
  let gate: OpenGate;
  afterEach(() => gate.close());

  it('starts empty, follows everyone who joins and leaves, and completes after the last has left', async () => {
    gate = await openGate();
    const closing$ = new Subject<void>();
    const seen: [number, number, number][] = [];
    const open$ = gate.gate$.pipe(takeUntil(closing$));
    const completed = lastValueFrom(open$.pipe(players(), toArray()));
    open$.pipe(players()).subscribe(({ count, joined, left }) => {
      seen.push([count, joined.length, left.length]);
    });
    const results = [];
    for (let i = 0; i < 2; i++) {
      results.push(await connectPlayer(`ws://127.0.0.1:${gate.port}/?token=${gate.reserveToken()}`));
    }
    await waitUntil(() => seen.length === 3);
    closing$.next();
    for (const { ws } of results) ws.close();
    const all = await completed;
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
