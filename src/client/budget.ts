import {
  defer,
  EMPTY,
  filter,
  ignoreElements,
  interval,
  take,
  type Observable,
  type SchedulerLike,
  type TimestampProvider,
} from 'rxjs';
import type { Endpoint } from '../endpoint/index.js';
import type { Reservation } from '../stream/index.js';

/** The requests that a client may send in any 15 minutes, route by route: law 6. Its clients of `as` share it. */
export class Budget {
  readonly #routes = new Map<string, RouteBudget>();
  readonly #quota: number;
  readonly #clock: TimestampProvider;

  constructor(quota: number, clock: TimestampProvider) {
    [this.#quota, this.#clock] = [quota, clock];
  }

  /** The budget of an endpoint's route; none if it is unlimited, and for what is no GET. */
  of(endpoint: Pick<Endpoint, 'method' | 'service' | 'path'>): RouteBudget | undefined {
    // It is checked when it is sent.
    const { method, service, path } = Object(endpoint) as typeof endpoint;
    if (this.#quota === Infinity || method !== 'GET') return undefined;
    const route = `${service} ${path}`;
    const known = this.#routes.get(route) ?? new RouteBudget(this.#quota, this.#clock);
    this.#routes.set(route, known);
    return known;
  }
}

/** The time is counted in pieces of this length, in ms. */
const BUCKET_MS = 30_000;

/** So many of them are any 15 minutes, and the one that has only begun. */
const BUCKETS = 31;

/** How often to look whether there is room again, in ms. */
const LOOK_MS = 5_000;

/** This part of the quota is free. What is left of it is spread. */
const FREE = 1_500 / 1_900;

/** The requests of one route in the last 15 minutes, and those that have been promised. */
export class RouteBudget {
  /** How many by the number of their bucket. */
  readonly #counts = new Map<number, number>();
  readonly #quota: number;
  readonly #clock: TimestampProvider;
  /** When the last poll was sent, or will be. */
  #lastAt = -Infinity;

  constructor(quota: number, clock: TimestampProvider) {
    [this.#quota, this.#clock] = [quota, clock];
  }

  /** Counts a request that is sent now, however many there have been. */
  count(): void {
    this.#add(this.#clock.now());
  }

  /**
   * Promises a poll that comes after those before it. Beyond the free part of the quota they are spread over the time until there is more
   * room. `latest`: it has to be sent within this time, in ms.
   */
  poll(latest = Infinity): Reservation {
    const now = this.#clock.now();
    const used = this.#usedAt(now);
    const left = Math.max(1, this.#quota - used);
    const interval = used < this.#quota * FREE ? 0 : (this.#roomAt(now) - now) / left;
    this.#lastAt = Math.min(this.#withRoom(Math.max(now, this.#lastAt + interval)), now + latest);
    return this.#promise(this.#lastAt, now);
  }

  /** Promises a request that is sent as soon as there is room. */
  page(): Reservation {
    const now = this.#clock.now();
    return this.#promise(this.#withRoom(now), now);
  }

  /** Whether there is room for so many requests. More than half of the quota is never asked for. */
  hasRoomFor(requests: number): boolean {
    return Math.min(requests, this.#quota / 2) <= this.#quota - this.#usedAt(this.#clock.now());
  }

  /** Completes when there is room for so many requests, or has been none for `patience` ms. */
  room(requests: number, patience: number, scheduler: SchedulerLike): Observable<never> {
    return defer(() => {
      const until = this.#clock.now() + patience;
      const isOver = () => this.hasRoomFor(requests) || this.#clock.now() >= until;
      const looked$ = interval(LOOK_MS, scheduler).pipe(filter(isOver), take(1), ignoreElements());
      return isOver() ? EMPTY : looked$;
    });
  }

  #promise(at: number, now: number): Reservation {
    const bucket = this.#add(at);
    return {
      wait: at - now,
      cancel: () => this.#counts.set(bucket, (this.#counts.get(bucket) ?? 1) - 1),
    };
  }

  #add(at: number): number {
    const bucket = bucketOf(at);
    const count = this.#counts.get(bucket) ?? 0;
    this.#counts.set(bucket, count + 1);
    if (count > 0) return bucket;
    // A client may live for months.
    const oldest = bucketOf(this.#clock.now()) - BUCKETS;
    for (const each of this.#counts.keys()) if (each <= oldest) this.#counts.delete(each);
    return bucket;
  }

  /** The first time from `at` at which there is room. */
  #withRoom(at: number): number {
    let time = at;
    while (this.#usedAt(time) >= this.#quota) time = this.#roomAt(time);
    return time;
  }

  /** How many requests count at a time: those of 15 minutes before it, and those that have been promised. */
  #usedAt(at: number): number {
    let used = 0;
    for (const [bucket, count] of this.#counts) if (bucket > bucketOf(at) - BUCKETS) used += count;
    return used;
  }

  /** When the oldest bucket that counts at a time, and is not empty, no longer does. */
  #roomAt(at: number): number {
    const buckets = [...this.#counts].filter(
      ([bucket, count]) => count > 0 && bucket > bucketOf(at) - BUCKETS,
    );
    return (Math.min(...buckets.map(([bucket]) => bucket)) + BUCKETS) * BUCKET_MS;
  }
}

function bucketOf(at: number): number {
  return Math.floor(at / BUCKET_MS);
}
