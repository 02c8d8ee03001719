import {
  defer,
  EMPTY,
  ignoreElements,
  timer,
  type Observable,
  type SchedulerLike,
  type TimestampProvider,
} from 'rxjs';
import type { Endpoint } from '../endpoint/index.js';
import { pausesOthers, recovery } from '../error/index.js';
import { TokenBucket, type FillRate } from '../stream/index.js';

/**
 * The requests that a client may send in any 15 minutes, route by route (law 6). Its clients of
 * `as` share them.
 */
export class RequestQuota {
  readonly #routes = new Map<string, RouteQuota>();

  constructor(
    readonly quota: number,
    readonly clock: TimestampProvider,
    readonly scheduler: SchedulerLike,
  ) {}

  /** The quota of an endpoint's route. `undefined` if the endpoint is no GET. */
  of(endpoint: Pick<Endpoint, 'method' | 'service' | 'path'>): RouteQuota | undefined {
    // An invalid endpoint is found when the request is sent.
    const { method, service, path } = Object(endpoint) as typeof endpoint;
    if (method !== 'GET') return undefined;
    const route = `${service} ${path}`;
    const known = this.#routes.get(route) ?? new RouteQuota(this.quota, this.clock, this.scheduler);
    this.#routes.set(route, known);
    return known;
  }
}

const WINDOW_MS = 900_000;

/**
 * This part of the quota may go at once, and the rest evenly over 15 minutes. So no 15 minutes have
 * more than the whole quota.
 */
const BURST = 1 / 4;

/**
 * Plain requests are never delayed. Their debt delays a poll by this at most, so that the poll is
 * answered before its index expires.
 */
const MAX_DEBT_MS = 235_000;

/**
 * The quota of one route. Polls and the later pages of rosters wait in a queue each. Once the
 * service has asked one of them, or a plain request, to wait, all of them wait.
 */
export class RouteQuota extends TokenBucket<'poll' | 'page'> {
  constructor(quota: number, clock: TimestampProvider, scheduler: SchedulerLike) {
    super(rateOf(quota), clock, scheduler);
  }

  /** Counts a request that is sent now, even if the quota is used up. */
  count(): void {
    this.takeOnCredit(MAX_DEBT_MS);
  }

  /** Pauses the route if a request has failed because the service asks for a wait. */
  heed(error: unknown): void {
    if (!pausesOthers(error)) return;
    const decided = recovery(error);
    if (decided.kind === 'retry' && decided.retryAfter !== undefined) this.pause(decided.retryAfter);
  }

  /**
   * Completes when there is room for `requests` requests, or for as many as may go at once.
   * Completes after `patience` ms if there was no room until then.
   */
  room(requests: number, patience: number): Observable<never> {
    return defer(() => {
      const wait = this.waitFor(Math.min(requests + this.waiting, this.rate.burst));
      return wait > 0 ? timer(Math.min(wait, patience), this.scheduler).pipe(ignoreElements()) : EMPTY;
    });
  }
}

function rateOf(quota: number): FillRate {
  // Without a limit, only a pause makes requests wait.
  if (quota === Infinity) return { interval: 0, burst: 1 };
  const burst = Math.max(1, Math.floor(quota * BURST));
  return { interval: WINDOW_MS / Math.max(1, quota - burst), burst };
}
