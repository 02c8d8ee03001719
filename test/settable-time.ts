import { asyncScheduler, type SchedulerLike } from 'rxjs';
import { virtualTime } from './virtual-time.js';

/** Time that advances only on demand, on a machine whose clock may be set. */
export interface SettableTime {
  /** It counts as real time, so that durations are measured by `performance`. */
  readonly scheduler: SchedulerLike;
  /** Advances both clocks by this many ms. */
  readonly pass: (ms: number) => void;
  /** Sets the clock that shows the time of day, and not the monotonic one. */
  readonly setBack: (ms: number) => void;
  /** Gives `performance` back to the other tests. */
  readonly restore: () => void;
}

export function settableTime(): SettableTime {
  const { scheduler, pass } = virtualTime();
  const monotonic = performance.now.bind(performance);
  let setBackBy = 0;
  performance.now = () => scheduler.now();
  return {
    scheduler: Object.create(asyncScheduler, {
      now: { value: () => scheduler.now() - setBackBy },
      schedule: { value: scheduler.schedule.bind(scheduler) },
    }) as SchedulerLike,
    pass,
    setBack: ms => {
      setBackBy += ms;
    },
    restore: () => {
      performance.now = monotonic;
    },
  };
}
