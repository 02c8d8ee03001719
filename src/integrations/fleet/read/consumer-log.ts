import { asyncScheduler, ignoreElements, interval, merge, tap, type Observable } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import { connectionStatus, type OpenFleet, type OrderedMessage } from '../nats/index.js';

/** How often a consumer tells how far behind it is, in ms. */
const TELL_EVERY_MS = 10_000;

/**
 * What a consumer tells about itself.
 *
 * - `disconnected`, `connected`: its connection to NATS was lost, or is there again.
 * - `retrying`: it cannot begin or go on, and tries again.
 * - `lag`: how many `messages` it has not handled yet. The first of them was stored `age` ms ago.
 *   It comes every 10 s.
 */
export type FleetConsumerLogEntry =
  | { readonly kind: 'disconnected' | 'connected' }
  | { readonly kind: 'retrying'; readonly error: unknown }
  | { readonly kind: 'lag'; readonly messages: number; readonly age: number };

/** Makes the log of a consumer out of what it reads. */
export class ConsumerLog {
  readonly #tell: (entry: FleetConsumerLogEntry) => void;
  readonly #scheduler: SchedulerLike;
  #reading: Pick<OrderedMessage, 'at' | 'lag'> | undefined;
  #left = 0;

  constructor(
    log: ((entry: FleetConsumerLogEntry) => void) | undefined,
    scheduler: SchedulerLike = asyncScheduler,
  ) {
    this.#scheduler = scheduler;
    this.#tell = entry => {
      try {
        log?.(entry);
      } catch {
        // An error of the program does not end its consumer.
      }
    };
  }

  /** Says why a consumer tries again. */
  retrying(error: unknown): void {
    this.#tell({ kind: 'retrying', error });
  }

  /** A message is being handled. */
  reading(message: Pick<OrderedMessage, 'at' | 'lag'>): void {
    this.#reading = message;
    this.#left = message.lag;
  }

  /** It has been. */
  handled(): void {
    this.#reading = undefined;
  }

  /** Tells how the connection and the consumer are, for as long as it is subscribed to. */
  of({ nats }: Pick<OpenFleet, 'nats'>): Observable<never> {
    const connection$ = connectionStatus(nats).pipe(
      tap(({ type }) => {
        if (type === 'disconnect') this.#tell({ kind: 'disconnected' });
        if (type === 'reconnect') this.#tell({ kind: 'connected' });
      }),
    );
    const lag$ = interval(TELL_EVERY_MS, this.#scheduler).pipe(
      tap(() => {
        const { at } = this.#reading ?? {};
        const messages = this.#left + (at === undefined ? 0 : 1);
        const age = at === undefined ? 0 : Math.max(0, this.#scheduler.now() - at);
        this.#tell({ kind: 'lag', messages, age });
      }),
    );
    return merge(connection$, lag$).pipe(ignoreElements());
  }
}
