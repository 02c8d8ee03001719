import { deepStrictEqual, strictEqual } from 'node:assert';
import { NEVER } from 'rxjs';
import { virtualTime } from '../../../virtual-time.js';
import { Starts } from '../../../../src/integrations/fleet/worker/starts.js';

describe('the starts of watches', () => {
  it('are so many at once, and each further one when the request of another is on the wire, or it has gone', () => {
    const starts = new Starts(3, virtualTime().scheduler);
    const begun: number[] = [];
    const sent = new Map<number, () => void>();
    const start = (n: number) =>
      starts
        .turn(onSent => {
          begun.push(n);
          sent.set(n, onSent);
          return NEVER;
        })
        .subscribe();
    const watches = [0, 1, 2, 3, 4, 5, 6].map(start);
    deepStrictEqual(begun, [0, 1, 2]);
    sent.get(1)!();
    deepStrictEqual(begun, [0, 1, 2, 3]);
    // Only its first request counts.
    sent.get(1)!();
    watches[1]!.unsubscribe();
    deepStrictEqual(begun, [0, 1, 2, 3]);
    watches[4]!.unsubscribe();
    watches[0]!.unsubscribe();
    deepStrictEqual(begun, [0, 1, 2, 3, 5]);
    for (const n of [2, 3, 5]) sent.get(n)!();
    deepStrictEqual(begun, [0, 1, 2, 3, 5, 6]);
    for (const watching of watches) watching.unsubscribe();
    start(7);
    strictEqual(begun.at(-1), 7);
  });

  it('go on if a watch says so while it begins', () => {
    const starts = new Starts(1, virtualTime().scheduler);
    let begun = 0;
    for (let n = 0; n < 10_000; n++)
      starts
        .turn(sent => {
          begun++;
          sent();
          return NEVER;
        })
        .subscribe();
    strictEqual(begun, 10_000);
  });

  it('tell how many wait, and for how long', () => {
    const { scheduler, pass } = virtualTime();
    const starts = new Starts(1, scheduler);
    const start = () => starts.turn(() => NEVER).subscribe();
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

  it('begin none while timers are late, and go on when they are not', () => {
    const { scheduler, pass } = virtualTime();
    let behind = 0;
    const starts = new Starts(1, scheduler, { now: () => scheduler.now() + behind });
    const begun: number[] = [];
    const sent: (() => void)[] = [];
    for (const n of [0, 1, 2])
      starts
        .turn(onSent => {
          begun.push(n);
          sent.push(onSent);
          return NEVER;
        })
        .subscribe();
    behind += 1_000;
    pass(100);
    sent[0]!();
    deepStrictEqual(begun, [0]);
    pass(900);
    deepStrictEqual(begun, [0]);
    pass(200);
    deepStrictEqual(begun, [0, 1]);
    sent[1]!();
    deepStrictEqual(begun, [0, 1, 2]);
  });
});
