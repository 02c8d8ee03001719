import { asyncScheduler, ignoreElements, interval, merge, tap, type Observable } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import { guarded } from '../../../error/index.js';
import { connectionStatus, type OpenFleet, type OrderedMessage } from '../nats/index.js';

/** How often a consumer reports its lag, in ms. */
const LAG_INTERVAL_MS = 10_000;

/**
 * A report of a consumer about itself.
 *
 * - `disconnected`, `connected`: its connection to NATS was lost, or is there again.
 * - `retrying`: it cannot begin or go on, and tries again. `error` says why.
 * - `lag`: how many `messages` it has not handled yet. The first of them was stored `age` ms ago.
 *   It comes every 10 s.
 */
export type FleetConsumerLogEntry =
  | { readonly kind: 'disconnected' | 'connected' }
  | { readonly kind: 'retrying'; readonly error: unknown }
  | { readonly kind: 'lag'; readonly messages: number; readonly age: number };

/** Writes the log of a consumer. */
export class ConsumerLog {
  readonly #emit: (entry: FleetConsumerLogEntry) => void;
  readonly #scheduler: SchedulerLike;
  #reading: Pick<OrderedMessage, 'at' | 'lag'> | undefined;
  #left = 0;

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

  /** A message is being handled. */
  reading(message: Pick<OrderedMessage, 'at' | 'lag'>): void {
    this.#reading = message;
    this.#left = message.lag;
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
    const lag$ = interval(LAG_INTERVAL_MS, this.#scheduler).pipe(
      tap(() => {
        const { at } = this.#reading ?? {};
        const messages = this.#left + (at === undefined ? 0 : 1);
        const age = at === undefined ? 0 : Math.max(0, this.#scheduler.now() - at);
        this.#emit({ kind: 'lag', messages, age });
      }),
    );
    return merge(connection$, lag$).pipe(ignoreElements());
  }
}
