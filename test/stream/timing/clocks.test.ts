import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { asyncScheduler } from 'rxjs';
import {
  ageOf,
  aheadSince,
  instant,
  instantAt,
  isRealTime,
  monotonicClock,
} from '../../../src/stream/timing/index.js';
import { marbles } from '../../marbles.js';
import { when } from '../../transition.js';
import { virtualTime } from '../../virtual-time.js';

/** As one that keeps its timers out of a zone is made. */
const derived = Object.create(asyncScheduler) as typeof asyncScheduler;

describe('the time of a scheduler', () => {
  it('is real with the asyncScheduler, and with schedulers that are derived from it', () => {
    const { scheduler } = virtualTime();
    deepStrictEqual([asyncScheduler, derived, scheduler].map(isRealTime), [true, true, false]);
  });

  it('is virtual, on the monotonic clock, too, inside of TestScheduler.run', () => {
    const clocks = [asyncScheduler, derived].map(monotonicClock);
    marbles(({ flush }) => {
      const seen: number[][] = [];
      const look = () => seen.push(clocks.map(clock => clock.now()));
      look();
      asyncScheduler.schedule(look, 300_000);
      flush();
      deepStrictEqual(seen, [
        [0, 0],
        [300_000, 300_000],
      ]);
    })();
  });

  it('is that of `performance` outside, which goes on however the time of day is set', () => {
    const before = performance.now();
    const now = monotonicClock(asyncScheduler).now();
    ok(now >= before && now <= performance.now());
    ok(monotonicClock(derived).now() <= performance.now());
  });

  it('is its own if it is virtual', () => {
    const { scheduler, pass } = virtualTime();
    const clock = monotonicClock(scheduler);
    pass(5_000);
    strictEqual(clock.now(), scheduler.now());
    deepStrictEqual(instant({ scheduler, monotonic: { now: () => 7 } }), {
      at: scheduler.now(),
      monotonic: 7,
    });
  });
});

describe('how long ago something happened', () => {
  it('is the larger age of the two clocks', () => {
    // Both went on; the machine slept; the clock was set back.
    deepStrictEqual(
      [when(1_500, 1_500), when(9_000, 1_500), when(-9_000, 1_500)].map(now => ageOf(when(1_000), now)),
      [500, 8_000, 500],
    );
  });

  it('is known of a time of day, as if both clocks had gone on since', () => {
    const now = when(1e9, 5_000);
    deepStrictEqual(instantAt(1e9 - 7_000, now), when(1e9 - 7_000, -2_000));
    strictEqual(ageOf(instantAt(1e9 - 7_000, now), now), 7_000);
  });

  it('shows that the machine slept if the wall clock has run ahead', () => {
    deepStrictEqual(
      [when(2_000), when(62_000, 2_000), when(-58_000, 2_000)].map(now => aheadSince(when(1_000), now)),
      [0, 60_000, -60_000],
    );
  });
});
