import {
  defer,
  EMPTY,
  ignoreElements,
  Observable,
  Subscription,
  timer,
  type SchedulerLike,
  type Subscriber,
  type TimestampProvider,
} from 'rxjs';
import type { Endpoint } from '../endpoint/index.js';

/**
 * The requests that a client may send in any 15 minutes, route by route: law 6. Its clients of `as`
 * share it.
 */
export class RequestQuota {
  readonly #routes = new Map<string, RouteQuota>();

  constructor(
    readonly quota: number,
    readonly clock: TimestampProvider,
    readonly scheduler: SchedulerLike,
  ) {}

  /** The quota of an endpoint's route; none if it is unlimited, and for what is no GET. */
  of(endpoint: Pick<Endpoint, 'method' | 'service' | 'path'>): RouteQuota | undefined {
    // It is checked when it is sent.
    const { method, service, path } = Object(endpoint) as typeof endpoint;
    if (this.quota === Infinity || method !== 'GET') return undefined;
    const route = `${service} ${path}`;
    const known = this.#routes.get(route) ?? new RouteQuota(this.quota, this.clock, this.scheduler);
    this.#routes.set(route, known);
    return known;
  }
}

const WINDOW_MS = 900_000;

/**
 * This part of the quota may go at once, and the rest evenly over 15 minutes: no 15 minutes have
 * more than all of it.
 */
const BURST = 1 / 4;

/**
 * Plain requests are never delayed. What they owe delays a poll by no more than this, so that it is
 * answered before its index expires.
 */
const MAX_DEBT_MS = 235_000;

/** A poll of a watch, or a later page of a roster. */
type Queued = 'poll' | 'page';

/**
 * A token bucket. Polls and pages that find no token wait in a queue each, and are served in turns:
 * neither starves the other.
 */
export class RouteQuota {
  // Mostly nothing has to wait, and a server has thousands of clients.
  readonly #queues: Partial<Record<Queued, Set<Subscriber<number>>>> = {};
  #served: Queued = 'poll';
  #serving = Subscription.EMPTY;
  readonly #burst: number;
  /** In tokens for each ms. */
  readonly #rate: number;
  /** Below 0 if plain requests have taken more than there were. */
  #tokens: number;
  #filledAt: number;

  constructor(
    quota: number,
    readonly clock: TimestampProvider,
    readonly scheduler: SchedulerLike,
  ) {
    this.#burst = Math.max(1, Math.floor(quota * BURST));
    this.#tokens = this.#burst;
    this.#rate = Math.max(1, quota - this.#burst) / WINDOW_MS;
    this.#filledAt = clock.now();
  }

  /**
   * Completes when a request may be sent. If it has to wait, it emits for about how long, in ms.
   */
  take(kind: Queued): Observable<number> {
    return new Observable(subscriber => {
      this.#fill();
      if (this.#queued === 0 && this.#tokens >= 1) {
        this.#tokens--;
        subscriber.complete();
        return;
      }
      this.#queues[kind] ??= new Set();
      const queue = this.#queues[kind].add(subscriber);
      subscriber.add(() => {
        queue.delete(subscriber);
        if (this.#queued === 0) this.#serving.unsubscribe();
      });
      subscriber.next(this.#waitFor(this.#queued));
      this.#serveLater();
    });
  }

  /** Counts a request that is sent now, however many there have been. */
  count(): void {
    this.#fill();
    this.#tokens = Math.max(this.#tokens - 1, -this.#rate * MAX_DEBT_MS);
  }

  /**
   * Completes when there is room for so many requests, or all that may go at once; or has been none
   * for `patience` ms.
   */
  room(requests: number, patience: number): Observable<never> {
    return defer(() => {
      this.#fill();
      const wait = this.#waitFor(Math.min(requests + this.#queued, this.#burst));
      return wait > 0 ? timer(Math.min(wait, patience), this.scheduler).pipe(ignoreElements()) : EMPTY;
    });
  }

  get #queued(): number {
    const { poll, page } = this.#queues;
    return (poll?.size ?? 0) + (page?.size ?? 0);
  }

  #serveLater(): void {
    if (this.#queued === 0 || !this.#serving.closed) return;
    const serve = () => {
      this.#serving.unsubscribe();
      this.#fill();
      while (this.#queued > 0 && this.#tokens >= 1) {
        this.#tokens--;
        this.#next().complete();
      }
      this.#serveLater();
    };
    this.#serving = this.scheduler.schedule(serve, this.#waitFor(1));
  }

  #next(): Subscriber<number> {
    const other = this.#served === 'poll' ? 'page' : 'poll';
    if (this.#queues[other]?.size) this.#served = other;
    const [first] = this.#queues[this.#served]!;
    return first!;
  }

  #fill(): void {
    const now = this.clock.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#filledAt) * this.#rate);
    this.#filledAt = now;
  }

  #waitFor(tokens: number): number {
    return Math.max(0, Math.ceil((tokens - this.#tokens) / this.#rate));
  }
}
