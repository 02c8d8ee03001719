import { Observable, Subscription, type SchedulerLike, type Subscriber, type TimestampProvider } from 'rxjs';
import { MAX_WAIT_MS } from '../../error/index.js';

/** How fast a {@link TokenBucket} fills. */
export interface FillRate {
  /** The time in which one token is added, in ms. */
  readonly interval: number;
  /** The largest number of tokens. */
  readonly burst: number;
}

/**
 * A token bucket. Each request takes a token. Requests that find none wait in queues. The queues
 * are served in turns, so that none starves another.
 */
export class TokenBucket<Queue extends string = 'all'> {
  /** The queues by name. The one whose turn it is comes first. */
  #queues: Map<Queue, Set<Subscriber<number>>> | undefined;
  #timer = Subscription.EMPTY;
  /** When the bucket will be full if no more tokens are taken. */
  #paidUntil = -Infinity;
  #pausedUntil = -Infinity;

  /** `clock` is a monotonic clock. */
  constructor(
    protected rate: FillRate,
    protected readonly clock: TimestampProvider,
    protected readonly scheduler: SchedulerLike,
  ) {}

  /** The number of requests that wait for a token. */
  get waiting(): number {
    let count = 0;
    for (const queue of this.#queues?.values() ?? []) count += queue.size;
    return count;
  }

  /** How long it takes until there are `tokens` tokens, in ms. */
  waitFor(tokens: number): number {
    const { burst, interval } = this.rate;
    return Math.max(0, Math.ceil(this.#paidUntil - (burst - tokens) * interval - this.clock.now()));
  }

  /**
   * Completes when there is a token. If the request has to wait for one, it first emits for about
   * how long, in ms.
   */
  take(name: Queue): Observable<number> {
    return new Observable(subscriber => {
      if (this.waiting === 0 && this.#nextIn() === 0) {
        this.#pay();
        subscriber.complete();
        return;
      }
      // Only now: mostly nothing waits, and a server has thousands of clients.
      this.#queues ??= new Map();
      const queue = this.#queues.get(name) ?? new Set();
      this.#queues.set(name, queue.add(subscriber));
      subscriber.add(() => {
        queue.delete(subscriber);
        if (this.waiting === 0) this.#timer.unsubscribe();
      });
      this.#serve();
      if (!subscriber.closed) subscriber.next(Math.max(this.waitFor(this.waiting), this.pauseLeft));
    });
  }

  /**
   * Takes a token, even if that makes a debt. The debt never takes longer than `maxDebt` ms to
   * fill.
   */
  takeOnCredit(maxDebt: number): void {
    this.#pay();
    const { burst, interval } = this.rate;
    this.#paidUntil = Math.min(this.#paidUntil, this.clock.now() + burst * interval + maxDebt);
  }

  /** Hands out no tokens for `wait` ms, at most 15 minutes: the service has asked for that. */
  pause(wait: number): void {
    // A custom `recovery` may give NaN or a string.
    if (!(wait > 0)) return;
    this.#pausedUntil = Math.max(this.#pausedUntil, this.clock.now() + Math.min(wait, MAX_WAIT_MS));
  }

  /** How long the pause still lasts, in ms, or 0. */
  get pauseLeft(): number {
    return Math.max(0, this.#pausedUntil - this.clock.now());
  }

  /** How long it takes until the next request may be sent, in ms. */
  #nextIn(): number {
    return Math.max(this.waitFor(1), this.pauseLeft);
  }

  #pay(): void {
    this.#paidUntil = Math.max(this.#paidUntil, this.clock.now()) + this.rate.interval;
  }

  #serve(): void {
    while (this.waiting > 0 && this.#nextIn() === 0) {
      this.#pay();
      this.#next().complete();
    }
    if (this.waiting === 0 || !this.#timer.closed) return;
    this.#timer = this.scheduler.schedule(() => {
      this.#timer.unsubscribe();
      this.#serve();
    }, this.#nextIn());
  }

  /** Takes the first request of the next queue, which then comes last. */
  #next(): Subscriber<number> {
    const queues = this.#queues!;
    const [name, queue] = [...queues].find(([, waiting]) => waiting.size > 0)!;
    const [first] = queue;
    queue.delete(first!);
    queues.delete(name);
    queues.set(name, queue);
    return first!;
  }
}
