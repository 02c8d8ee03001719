import { deepStrictEqual, ok } from 'node:assert';
import { concat, of, throwError, timer, VirtualTimeScheduler } from 'rxjs';
import { backoff } from 'lobby-rx';
import { clockJumps } from '../../../src/stream/timing/index.js';
import { Heartbeat } from '../../../src/integrations/browser/heartbeat.js';
import { settableTime } from '../../settable-time.js';

describe('time that is virtual, or set', () => {
  const DAY_MS = 86_400_000;
  const pass = (scheduler: VirtualTimeScheduler, ms: number) => {
    scheduler.maxFrames = scheduler.now() + ms;
    scheduler.flush();
  };

  it('may be days of what comes regularly', () => {
    const scheduler = new VirtualTimeScheduler();
    let beats = 0;
    const all = [new Heartbeat(scheduler).beats$.subscribe(() => beats++), clockJumps(scheduler).subscribe()];
    pass(scheduler, DAY_MS);
    for (const each of all) each.unsubscribe();
    ok(beats >= DAY_MS / 1_000 - 1, `${beats} beats`);
  });

  it('leaves the waits of a backoff as they are if the clock is set', () => {
    const time = settableTime();
    const { scheduler } = time;
    const attempts: number[] = [];
    const shouldRetry = (_: unknown, attempt: number) => {
      attempts.push(attempt);
      return true;
    };
    const source$ = concat(
      of(1),
      timer(60_000, scheduler),
      throwError(() => 'down'),
    );
    const retrying = source$
      .pipe(backoff({ shouldRetry, scheduler, testing: { random: () => 0.5 } }))
      .subscribe();
    for (let run = 0; run < 3; run++) {
      time.pass(30_000);
      time.setBack(3_600_000);
      time.pass(31_000);
    }
    retrying.unsubscribe();
    time.restore();
    deepStrictEqual(attempts, [1, 1, 1]);
  });
});
