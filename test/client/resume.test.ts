import { deepStrictEqual } from 'node:assert';
import { assert as check, array, constantFrom, integer, nat, property, record } from 'fast-check';
import { concatMap, tap, timer } from 'rxjs';
import type { Fault } from 'lobby-rx/emulator';
import { runs } from '../runs.js';
import { virtualWorld } from '../virtual-world.js';

const faults = constantFrom<Fault['kind']>(
  'reset_before_headers',
  'reset_in_body',
  'stall_in_body',
  'truncated_json',
  'html',
  'empty',
  'repeat',
  'index_backwards',
  'index_skewed',
  'hot',
  'rate_limited',
  'redirect',
  'wrong_json',
);

/**
 * One step of a run: time passes, events come, and maybe a fault is planned or the consumer is
 * killed.
 */
const step = record({
  pass: integer({ min: 1, max: 2_000 }),
  events: nat(4),
  fault: faults,
  isFaulty: constantFrom(true, false),
  isKilled: constantFrom(true, false, false),
});

/**
 * Runs a consumer that saves its index in `ack` after its own work, and is killed and resumed at
 * any point.
 */
function run(
  steps: readonly {
    pass: number;
    events: number;
    fault: Fault['kind'];
    isFaulty: boolean;
    isKilled: boolean;
  }[],
) {
  const { scheduler, emulator, identity_id, client, pass } = virtualWorld({ random: () => 0.5 });

  // What survives a kill: the saved index, and the effects of the work.
  let saved: string | undefined;
  const done: number[] = [];
  const errors: unknown[] = [];
  const consume = () =>
    client.events
      .batches({
        ...(saved !== undefined && { from: saved }),
        ack: ({ events, watch }) =>
          timer(50, scheduler).pipe(
            concatMap(() => {
              for (const event of events) {
                if (event.kind === 'unknown') done.push(Number(event.payload));
              }
              return timer(30, scheduler);
            }),
            tap(() => {
              saved = watch.index;
            }),
          ),
      })
      .subscribe({ error: (error: unknown) => errors.push(error) });

  let sent = 0;
  let consumer = consume();
  pass(200);
  for (const { pass: ms, events, fault, isFaulty, isKilled } of steps) {
    if (isFaulty) emulator.fault({ kind: fault } as Fault);
    for (let i = 0; i < events; i++) emulator.publish(identity_id, { work: sent++ });
    pass(ms);
    if (!isKilled) continue;
    consumer.unsubscribe();
    pass(ms);
    consumer = consume();
  }
  pass(120_000);
  consumer.unsubscribe();
  deepStrictEqual(errors, []);
  return { sent, done };
}

/** After these the service itself sends events again. */
const AGAIN: readonly Fault['kind'][] = ['repeat', 'index_backwards', 'index_skewed'];

describe('a consumer that saves its index in ack', () => {
  it('loses nothing, no matter when it is killed and how its polls fail', () => {
    check(
      property(array(step, { maxLength: 25 }), steps => {
        const { sent, done } = run(steps);
        deepStrictEqual(
          [...new Set(done)].sort((a, b) => a - b),
          Array.from({ length: sent }, (_, n) => n),
        );
      }),
      { numRuns: runs(600) },
    );
  });

  it('gets every event once and in order if it is not killed, and the service sends none again', () => {
    check(
      property(array(step, { maxLength: 25 }), steps => {
        const calm = steps.map(one => ({
          ...one,
          isKilled: false,
          isFaulty: one.isFaulty && !AGAIN.includes(one.fault),
        }));
        const { sent, done } = run(calm);
        deepStrictEqual(
          done,
          Array.from({ length: sent }, (_, n) => n),
        );
      }),
      { numRuns: runs(600) },
    );
  });
});
