import type { SchedulerLike, Subscription, TimestampProvider } from 'rxjs';
import type { FleetEvent } from '../../fleet-event.js';
import { latenessOf } from '../lateness.js';

/** A process has too much to do if its timers are later than this, in ms. */
const TOO_LATE_MS = 1_000;

/** How many checks in a row must find the timers too late. One long pause is no overload. */
const LATE_CHECKS = 2;

/** The options of {@link Overload}. */
export interface OverloadConfig {
  readonly capacity: number;
  readonly scheduler: SchedulerLike;
  readonly monotonic: TimestampProvider;
}

/** Finds out whether a worker has more to do than it can. */
export class Overload {
  readonly #config: OverloadConfig;
  #hasTooMany = false;
  #worst = 0;
  #late = 0;
  #lateChecks = 0;

  constructor(config: OverloadConfig) {
    this.#config = config;
  }

  /** The largest delay of its timers between the last two checks, in ms. */
  get late(): number {
    return this.#late;
  }

  /** Measures how late timers are until it is unsubscribed from. */
  measure(): Subscription {
    const { scheduler, monotonic } = this.#config;
    return latenessOf(scheduler, monotonic).subscribe(late => {
      this.#worst = Math.max(this.#worst, late);
    });
  }

  /** Returns an event when the worker begins to have more to do than it can. */
  check(identities: number): readonly FleetEvent[] {
    const events: FleetEvent[] = [];
    this.#late = Math.round(this.#worst);
    this.#worst = 0;
    const hasTooMany = identities > this.#config.capacity;
    if (hasTooMany && !this.#hasTooMany) events.push({ kind: 'overloaded', by: 'capacity', identities });
    this.#hasTooMany = hasTooMany;
    this.#lateChecks = this.#late > TOO_LATE_MS ? this.#lateChecks + 1 : 0;
    if (this.#lateChecks === LATE_CHECKS) events.push({ kind: 'overloaded', by: 'late', identities });
    return events;
  }
}
