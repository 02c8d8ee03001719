import type { SchedulerAction, SchedulerLike, Subscription } from 'rxjs';

/**
 * A scheduler that can be frozen, as a process can: while it is, nothing runs, and then all at
 * once.
 */
export interface Freezable extends SchedulerLike {
  freeze(): void;
  thaw(): void;
  /** Nothing runs any more: the process has been killed. */
  kill(): void;
}

export function freezable(scheduler: SchedulerLike): Freezable {
  let state: 'running' | 'frozen' | 'dead' = 'running';
  let backlog: (() => void)[] = [];
  const schedule = <T>(
    work: (this: SchedulerAction<T>, state?: T) => void,
    delay?: number,
    arg?: T,
  ): Subscription =>
    scheduler.schedule<T>(
      function (value) {
        if (state === 'running') work.call(this, value);
        else
          backlog.push(() => {
            if (!this.closed) work.call(this, value);
          });
      },
      delay,
      arg as T,
    );
  return {
    now: () => scheduler.now(),
    schedule,
    freeze: () => {
      state = 'frozen';
    },
    thaw: () => {
      state = 'running';
      const late = backlog;
      backlog = [];
      for (const run of late) run();
    },
    kill: () => {
      state = 'dead';
    },
  };
}
