import { deepStrictEqual, strictEqual } from 'node:assert';
import { concat, defer, map, NEVER, of, Subject, tap, timer } from 'rxjs';
import { virtualTime } from '../../../../virtual-time.js';
import type { WatchStatus } from '../../../../../src/stream/index.js';
import type { IdentityEvent } from '../../../../../src/integrations/fleet/worker/identity/identity-status.js';
import { Starts } from '../../../../../src/integrations/fleet/worker/identity/starts.js';

const POLLED: IdentityEvent = { kind: 'polled', timeout: 70_000 };

const statusEvent = (state: WatchStatus['state']): IdentityEvent => ({
  kind: 'status',
  status: {
    state,
    since: 0,
    lastAnswer: undefined,
    attempt: 0,
    nextTry: undefined,
    error: undefined,
    hint: undefined,
  },
});

describe('the starts of watches', () => {
  it('are bounded, and each further one comes when another is polled, has to wait, or has gone', () => {
    const starts = new Starts(3, virtualTime().scheduler);
    const begun: number[] = [];
    const events = new Map<number, Subject<IdentityEvent>>();
    const start = (n: number) => {
      const event$ = new Subject<IdentityEvent>();
      events.set(n, event$);
      const watch$ = defer(() => {
        begun.push(n);
        return event$;
      });
      return starts.turn(watch$).subscribe();
    };
    const watches = [0, 1, 2, 3, 4, 5, 6].map(start);
    deepStrictEqual(begun, [0, 1, 2]);
    events.get(1)!.next(statusEvent('connecting'));
    deepStrictEqual(begun, [0, 1, 2]);
    events.get(1)!.next(POLLED);
    deepStrictEqual(begun, [0, 1, 2, 3]);
    // Only its first poll counts.
    events.get(1)!.next(POLLED);
    watches[1]!.unsubscribe();
    deepStrictEqual(begun, [0, 1, 2, 3]);
    watches[4]!.unsubscribe();
    watches[0]!.unsubscribe();
    deepStrictEqual(begun, [0, 1, 2, 3, 5]);
    events.get(2)!.next({ kind: 'waiting' });
    events.get(3)!.next({ kind: 'nats_error', error: new Error('no answer') });
    events.get(5)!.next(statusEvent('retrying'));
    deepStrictEqual(begun, [0, 1, 2, 3, 5, 6]);
    for (const watching of watches) watching.unsubscribe();
    start(7);
    strictEqual(begun.at(-1), 7);
  });

  it('go on if a watch is polled while it begins', () => {
    const starts = new Starts(1, virtualTime().scheduler);
    let begun = 0;
    const watch$ = defer(() => {
      begun++;
      return concat(of(POLLED), NEVER);
    });
    for (let n = 0; n < 10_000; n++) starts.turn(watch$).subscribe();
    strictEqual(begun, 10_000);
  });

  it('tell how many wait, and for how long', () => {
    const { scheduler, pass } = virtualTime();
    const starts = new Starts(1, scheduler);
    const start = () => starts.turn(NEVER).subscribe();
    deepStrictEqual(starts.late, { waiting: 0, wait: 0 });
    const first = start();
    pass(10);
    start();
    pass(5);
    start();
    pass(15);
    deepStrictEqual(starts.late, { waiting: 2, wait: 20 });
    first.unsubscribe();
    deepStrictEqual(starts.late, { waiting: 1, wait: 15 });
  });

  it('are fewer at a time while timers are late, but never none, and more again when they are in time', () => {
    const { scheduler, pass } = virtualTime();
    let behind = 0;
    const starts = new Starts(64, scheduler, { now: () => scheduler.now() + behind });
    let underWay = 0;
    let begun = 0;
    const watch$ = defer(() => {
      underWay++;
      begun++;
      const polled$ = timer(10, scheduler).pipe(
        tap(() => underWay--),
        map(() => POLLED),
      );
      return concat(polled$, NEVER);
    });
    for (let n = 0; n < 20_000; n++) starts.turn(watch$).subscribe();
    strictEqual(underWay, 64);
    /** The next look comes so late. */
    const look = (late: number) => {
      behind += late;
      pass(100);
      return underWay;
    };
    deepStrictEqual([look(101), look(250), look(1_000), look(1_000)], [32, 16, 8, 8]);
    const before = begun;
    // For good: as on a machine whose timers are late at least once a second.
    for (let i = 0; i < 10; i++) look(1_000);
    strictEqual(begun - before, 10 * 10 * 8);
    deepStrictEqual([look(0), look(0), look(100)], [16, 24, 32]);
    for (let i = 0; i < 10; i++) look(0);
    strictEqual(underWay, 64);
  });

  it('are no more than may be at a time, however few that are', () => {
    const { scheduler, pass } = virtualTime();
    let behind = 0;
    const starts = new Starts(3, scheduler, { now: () => scheduler.now() + behind });
    let begun = 0;
    const watch$ = defer(() => {
      begun++;
      return NEVER;
    });
    for (let n = 0; n < 9; n++) starts.turn(watch$).subscribe();
    behind += 1_000;
    pass(300);
    strictEqual(begun, 3);
  });
});
