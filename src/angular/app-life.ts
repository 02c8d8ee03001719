import type { DestroyRef, NgZone } from '@angular/core';
import {
  BehaviorSubject,
  NEVER,
  Observable,
  Subscription,
  switchMap,
  take,
  type SchedulerAction,
  type SchedulerLike,
} from 'rxjs';
import type { Transport } from '../transport/index.js';

/**
 * What runs in an application for as long as it lives, but must not keep it unstable: outside of its zone, and not beyond the
 * injector. On a server, where each request has an application, a subscription that somebody forgot ends in this way.
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

  /** A source that runs, and emits, outside of the zone. */
  outside<A>(source$: Observable<A>): Observable<A> {
    return new Observable(subscriber => this.#zone.runOutsideAngular(() => source$.subscribe(subscriber)));
  }

  /** Calls back inside the zone, so that what is changed there is rendered. */
  inside<A>(callback: () => A): A {
    return this.#zone.run(callback);
  }

  /** A clock whose timers run outside of the zone. They end with the injector. */
  scheduler(scheduler: SchedulerLike): SchedulerLike {
    type Work = (this: SchedulerAction<unknown>, state?: unknown) => void;
    const schedule = (work: Work, delay?: number, state?: unknown) => {
      const timer = this.#zone.runOutsideAngular(() => scheduler.schedule(work, delay, state));
      this.#timers.add(timer);
      return timer;
    };
    // It is still the one that it was, for whoever asks whether its time is real.
    return Object.create(scheduler, { schedule: { value: schedule } }) as SchedulerLike;
  }

  /** Sends polls outside of the zone. Those of an injector that is destroyed are aborted, and never answered. */
  polls(transport: Transport): Transport {
    return request => {
      const answer$ = this.outside(transport(request));
      return this.#isAlive$.pipe(
        switchMap(isAlive => (isAlive ? answer$ : NEVER)),
        take(1),
      );
    };
  }
}
