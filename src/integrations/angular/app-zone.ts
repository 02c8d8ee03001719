import type { NgZone } from '@angular/core';
import { Observable, type SchedulerAction, type SchedulerLike } from 'rxjs';

/**
 * Runs work outside of the zone of an application. Otherwise work that never ends would keep the
 * application unstable.
 */
export class AppZone {
  readonly #zone: NgZone;

  constructor(zone: NgZone) {
    this.#zone = zone;
  }

  /** Subscribes to a source outside of the zone. It also emits there. */
  outside<A>(source$: Observable<A>): Observable<A> {
    return new Observable(subscriber => this.#zone.runOutsideAngular(() => source$.subscribe(subscriber)));
  }

  /**
   * Calls back inside the zone, so that the changes are rendered. All changes of the same tick are
   * rendered at once.
   */
  inside<A>(callback: () => A): A {
    return this.#zone.run(() => {
      // zone.js looks for changes as soon as no microtask is pending in the zone.
      void Promise.resolve().then(() => undefined);
      return callback();
    });
  }

  /** A clock whose timers run outside of the zone. */
  scheduler(scheduler: SchedulerLike): SchedulerLike {
    type Work = (this: SchedulerAction<unknown>, state?: unknown) => void;
    const schedule = (work: Work, delay?: number, state?: unknown) =>
      this.#zone.runOutsideAngular(() => scheduler.schedule(work, delay, state));
    // Made from the original, so that code can still see whether its time is real.
    return Object.create(scheduler, { schedule: { value: schedule } }) as SchedulerLike;
  }
}
