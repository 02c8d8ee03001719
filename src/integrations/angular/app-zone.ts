import type { NgZone } from '@angular/core';
import { Observable, type SchedulerAction, type SchedulerLike } from 'rxjs';

/**
 * What goes on for as long as an application lives must not keep it unstable: it runs outside of
 * the zone.
 */
export class AppZone {
  readonly #zone: NgZone;

  constructor(zone: NgZone) {
    this.#zone = zone;
  }

  /** A source that is subscribed to outside of the zone, where it emits, too. */
  outside<A>(source$: Observable<A>): Observable<A> {
    return new Observable(subscriber => this.#zone.runOutsideAngular(() => source$.subscribe(subscriber)));
  }

  /**
   * Calls back inside the zone, so that what is changed there is rendered: once for all that is
   * called in the same turn.
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
    // It is still the one that it was, for code that asks whether its time is real.
    return Object.create(scheduler, { schedule: { value: schedule } }) as SchedulerLike;
  }
}
