import type { DestroyRef, NgZone } from '@angular/core';
import { BehaviorSubject, Observable, Subscription, type SchedulerAction, type SchedulerLike } from 'rxjs';
import { runWhile } from '../../stream/index.js';

/**
 * What runs in an application for as long as it lives, but must not keep it unstable: outside of its zone, and not beyond the
 * injector. On a server, where each request has an application, a forgotten subscription ends in this way.
 */
export class AppLife {
  readonly #zone: NgZone;
  readonly #isAlive$ = new BehaviorSubject(true);
  readonly #timers = new Subscription();

  constructor(zone: NgZone, destroyRef: DestroyRef) {
    this.#zone = zone;
    destroyRef.onDestroy(() => {
      this.#timers.unsubscribe();
      this.#isAlive$.next(false);
    });
  }

  /** A source that is unsubscribed from when the injector is destroyed. Its subscribers do not hear of that. */
  untilDestroyed<A>(source$: Observable<A>): Observable<A> {
    return runWhile(this.#isAlive$, () => source$);
  }

  /** The same outside of the zone, where it emits, too. */
  outside<A>(source$: Observable<A>): Observable<A> {
    const alive$ = this.untilDestroyed(source$);
    return new Observable(subscriber => this.#zone.runOutsideAngular(() => alive$.subscribe(subscriber)));
  }

  /** Calls back inside the zone, so that what is changed there is rendered: once for all that is called in the same turn. */
  inside<A>(callback: () => A): A {
    return this.#zone.run(() => {
      // zone.js looks for changes as soon as no microtask is pending in the zone.
      void Promise.resolve().then(() => undefined);
      return callback();
    });
  }

  /** A clock whose timers run outside of the zone. They end with the injector. */
  scheduler(scheduler: SchedulerLike): SchedulerLike {
    type Work = (this: SchedulerAction<unknown>, state?: unknown) => void;
    const schedule = (work: Work, delay?: number, state?: unknown) => {
      const timer = this.#zone.runOutsideAngular(() => scheduler.schedule(work, delay, state));
      this.#timers.add(timer);
      return timer;
    };
    // It is still the one that it was, for code that asks whether its time is real.
    return Object.create(scheduler, { schedule: { value: schedule } }) as SchedulerLike;
  }
}
