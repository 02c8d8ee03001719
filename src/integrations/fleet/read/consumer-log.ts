import { asyncScheduler, exhaustMap, ignoreElements, merge, tap, type Observable } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import { guarded } from '../../../error/index.js';
import { every } from '../../../stream/index.js';
import { connectionStatus, type OpenFleet, type OrderedMessage } from '../nats/index.js';

/** How often a consumer reports its lag, in ms. */
const LAG_INTERVAL_MS = 10_000;

/**
 * A report of a consumer about itself.
 *
 * - `disconnected`, `connected`: its connection to NATS was lost, or is there again.
 * - `retrying`: it cannot begin or go on, and tries again. `error` says why.
 * - `lag`: how many `messages` it has not handled yet. The first of them was stored `age` ms ago.
 *   It comes every 10 s. Both are `undefined` while NATS does not tell.
 */
export type FleetConsumerLogEntry =
  | { readonly kind: 'disconnected' | 'connected' }
  | { readonly kind: 'retrying'; readonly error: unknown }
  | { readonly kind: 'lag'; readonly messages: number | undefined; readonly age: number | undefined };

/** Writes the log of a consumer. */
export class ConsumerLog {
  readonly #emit: (entry: FleetConsumerLogEntry) => void;
  readonly #scheduler: SchedulerLike;
  #reading: Pick<OrderedMessage, 'at'> | undefined;
  /** Asks how many messages are left. `undefined` while nothing is delivered. */
  #left: (() => Promise<number>) | undefined;

  constructor(
    log: ((entry: FleetConsumerLogEntry) => void) | undefined,
    scheduler: SchedulerLike = asyncScheduler,
  ) {
    this.#scheduler = scheduler;
    this.#emit = guarded(log);
  }

  /** Reports why the consumer tries again. */
  retrying(error: unknown): void {
    this.#emit({ kind: 'retrying', error });
  }

  /** A delivery has begun. It has ended if `left` is `undefined`. */
  delivering(left: (() => Promise<number>) | undefined): void {
    this.#left = left;
  }

  /** A message is being handled. */
  reading(message: Pick<OrderedMessage, 'at'>): void {
    this.#reading = message;
  }

  /** The message has been handled. */
  handled(): void {
    this.#reading = undefined;
  }

  /** Reports the state of the connection and the lag, for as long as it is subscribed to. */
  of({ nats }: Pick<OpenFleet, 'nats'>): Observable<never> {
    const connection$ = connectionStatus(nats).pipe(
      tap(({ type }) => {
        if (type === 'disconnect') this.#emit({ kind: 'disconnected' });
        if (type === 'reconnect') this.#emit({ kind: 'connected' });
      }),
    );
    const lag$ = every(LAG_INTERVAL_MS, this.#scheduler).pipe(
      exhaustMap(() => this.#lag()),
      tap(entry => this.#emit(entry)),
    );
    return merge(connection$, lag$).pipe(ignoreElements());
  }

  async #lag(): Promise<FleetConsumerLogEntry> {
    // Without an answer, the lag is not known. The last one may be long out of date.
    const left = await this.#left?.().catch(() => undefined);
    if (left === undefined) return { kind: 'lag', messages: undefined, age: undefined };
    const { at } = this.#reading ?? {};
    if (at === undefined) return { kind: 'lag', messages: left, age: 0 };
    return { kind: 'lag', messages: left + 1, age: Math.max(0, this.#scheduler.now() - at) };
  }
}
