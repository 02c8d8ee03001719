import { concat, defer, tap, type Observable, type SchedulerLike } from 'rxjs';
import { createClient, type ClientConfig } from '../../../client/index.js';
import { rawEventsWatch } from '../../../endpoint/index.js';
import { isStatusError, MAX_WAIT } from '../../../error/index.js';
import type { WatchStatus } from '../../../stream/index.js';
import type { Transport } from '../../../transport/index.js';
import type { FleetEvent } from '../fleet-event.js';
import { shardOf } from './assign-shards.js';
import type { WatchIdentity } from './held-shard.js';
import { RateLimit } from './rate-limit.js';
import { storedWatch, type StoredWatchConfig, type StoredWatchEvent } from './stored-watch.js';

/** A longer wait than this for the turn of a poll is worth telling, in ms. */
const NOTICEABLE = 1_000;

/** How long to wait if the service says that there are too many requests, but not for how long, in ms. */
const DEFAULT_WAIT = 60_000;

/** The part of a minute's requests that may be sent at once. */
const BURST = 0.5;

/** How a worker polls identities. */
export interface IdentityPollsConfig extends Pick<StoredWatchConfig, 'log' | 'newKey' | 'random'> {
  readonly client: (identity_id: string) => ClientConfig;
  /** One for each address that polls are sent from. */
  readonly transports: readonly Transport[];
  /** From each address. */
  readonly requestsPerMinute: number;
  /** How many watches to start in a second: one that starts thousands at once has no time for their answers. */
  readonly startsPerSecond: number;
  readonly tell: (event: FleetEvent) => void;
  readonly scheduler: SchedulerLike;
}

/** The polls of a worker: each identity is polled from one of its addresses, within the budget of that address. */
export class IdentityPolls {
  readonly #config: IdentityPollsConfig;
  readonly #addresses: readonly { readonly transport: Transport; readonly budget: RequestBudget }[];
  readonly #starts: RateLimit;

  constructor(config: IdentityPollsConfig) {
    const { transports, requestsPerMinute, startsPerSecond, tell, scheduler } = config;
    this.#config = config;
    // Timers are too coarse for single starts at a high rate: those of 20 ms may come at once.
    const burst = Math.ceil(startsPerSecond / 50);
    this.#starts = new RateLimit({ interval: 1_000 / startsPerSecond, burst, scheduler });
    this.#addresses = transports.map(transport => ({
      transport,
      budget: new RequestBudget(requestsPerMinute, scheduler, tell),
    }));
  }

  /** Tells if polls have to wait, or need not any more. Returns how many do. */
  check(): number {
    for (const { budget } of this.#addresses) budget.check();
    return this.#addresses.reduce((sum, { budget }) => sum + budget.waiting, 0);
  }

  /** Follows one identity. */
  readonly watch: WatchIdentity = (identity_id, held) => {
    const watched$ = defer((): Observable<StoredWatchEvent> => {
      const { client, log, newKey, random, scheduler } = this.#config;
      const { transport, budget } = this.#addresses[shardOf(identity_id, this.#addresses.length)]!;
      const given = client(identity_id);
      // All identities share the budget of their address.
      const watch = { ...given.watch, quota: Infinity };
      const config: ClientConfig = { transport, scheduler, testing: { random }, ...given, watch };
      const own = createClient(config);
      const { response } = rawEventsWatch;
      const endpoint = { ...rawEventsWatch, ...config.endpoints?.eventsWatch, response };
      const permit = () => budget.permit();
      return storedWatch({
        ...{ ...held, identity_id, log, newKey, random, scheduler },
        watch: options => own.watchSignals(endpoint, {}, { ...options, permit }),
      }).pipe(
        tap(event => {
          if (event.kind === 'status') budget.slowDownFor(event.status);
        }),
      );
    });
    return concat(this.#starts.turn(), watched$);
  };
}

/** How many polls may be sent from one address. All identities that are polled from there share it. */
export class RequestBudget {
  readonly #limit: RateLimit;
  readonly #tell: (event: FleetEvent) => void;
  #isLimited = false;
  #isPaused = false;

  constructor(requestsPerMinute: number, scheduler: SchedulerLike, tell: (event: FleetEvent) => void) {
    this.#tell = tell;
    this.#limit = new RateLimit({
      interval: 60_000 / requestsPerMinute,
      burst: Math.ceil(BURST * requestsPerMinute),
      scheduler,
    });
  }

  /** How many polls wait. */
  get waiting(): number {
    return this.#limit.waiting;
  }

  /** Completes when the next poll may be sent. */
  permit(): Observable<never> {
    return this.#limit.turn();
  }

  /** If the service has refused a poll because there were too many, all others wait, too. */
  slowDownFor({ state, error }: WatchStatus): void {
    if (state !== 'retrying' || !isStatusError(error) || error.status !== 429) return;
    const wait = Math.min(error.retryAfter ?? DEFAULT_WAIT, MAX_WAIT);
    this.#limit.pause(wait);
    this.#isPaused = true;
    this.#tell({ kind: 'limited', by: 'service', wait, waiting: this.waiting });
  }

  /** Tells if the rate has become too low, or is high enough again, and when a pause is over. */
  check(): void {
    const { delay, waiting, pauseLeft } = this.#limit;
    if (pauseLeft > 0) return;
    if (this.#isPaused) this.#tell({ kind: 'limited', by: 'service', wait: 0, waiting });
    this.#isPaused = false;
    const isLimited = waiting > 0 && (this.#isLimited || delay > NOTICEABLE);
    if (isLimited === this.#isLimited) return;
    this.#isLimited = isLimited;
    this.#tell({ kind: 'limited', by: 'requestsPerMinute', wait: isLimited ? delay : 0, waiting });
  }
}
