import { defer, tap, type Observable, type SchedulerLike } from 'rxjs';
import { createClient, type ClientConfig } from '../../../client/index.js';
import { rawEventsWatch } from '../../../endpoint/index.js';
import { isStatusError, MAX_WAIT_MS } from '../../../error/index.js';
import type { WatchStatus } from '../../../stream/index.js';
import type { Transport } from '../../../transport/index.js';
import type { FleetEvent } from '../fleet-event.js';
import { shardOf } from './assign-shards.js';
import type { WatchIdentity } from './owned-shard.js';
import { RateLimit } from './rate-limit.js';
import { Starts } from './starts.js';
import { storedWatch, type StoredWatchConfig, type StoredWatchEvent } from './stored-watch.js';

/** A longer wait than this for the turn of a poll is worth telling, in ms. */
const NOTICEABLE_MS = 1_000;

/** How long to wait if the service says that there are too many requests, but not for how long, in ms. */
const DEFAULT_WAIT_MS = 60_000;

/** So many watches begin at once. */
const MAX_STARTS = 256;

/** The part of a minute's requests that may be sent at once. */
const BURST = 0.5;

/** How a worker polls identities. */
export interface IdentityPollsConfig extends Pick<StoredWatchConfig, 'log' | 'newKey' | 'random'> {
  readonly client: (identity_id: string) => ClientConfig;
  /** Those of each address that polls are sent from. */
  readonly transports: readonly (readonly Transport[])[];
  /** From each address. */
  readonly requestsPerMinute: number;
  readonly emit: (event: FleetEvent) => void;
  readonly scheduler: SchedulerLike;
}

/** The polls of a worker: each identity is polled from one of its addresses, within the budget of that address. */
export class IdentityPolls {
  readonly #config: IdentityPollsConfig;
  readonly #addresses: readonly {
    readonly transports: readonly Transport[];
    readonly budget: RequestBudget;
  }[];
  readonly #starts = new Starts(MAX_STARTS);

  constructor(config: IdentityPollsConfig) {
    const { transports, requestsPerMinute, emit, scheduler } = config;
    this.#config = config;
    this.#addresses = transports.map(ofAddress => ({
      transports: ofAddress,
      budget: new RequestBudget(requestsPerMinute, scheduler, emit),
    }));
  }

  /** Tells if polls have to wait, or need not any more. Returns how many do. */
  check(): number {
    for (const { budget } of this.#addresses) budget.check();
    return this.#addresses.reduce((sum, { budget }) => sum + budget.waiting, 0);
  }

  /** Follows one identity. */
  readonly watch: WatchIdentity = (identity_id, held) => {
    const watched = (sent: () => void): Observable<StoredWatchEvent> => {
      const { client, log, newKey, random, scheduler } = this.#config;
      const { transports, budget } = this.#addresses[shardOf(identity_id, this.#addresses.length)]!;
      // Not by the same number as the address, of which each would have one transport then.
      const send = transports[shardOf(`${identity_id} `, transports.length)]!;
      const transport: Transport = request => {
        sent();
        return send(request);
      };
      const given = client(identity_id);
      // All identities share the budget of their address.
      const watch = { ...given.watch, quota: Infinity };
      const config: ClientConfig = { transport, scheduler, testing: { random }, ...given, watch };
      const own = createClient(config);
      const { response } = rawEventsWatch;
      const endpoint = { ...rawEventsWatch, ...config.endpoints?.eventsWatch, response };
      const beforePoll = () => {
        // A poll that waits for the rate limit is in nobody's way.
        if (budget.waiting > 0) sent();
        return budget.take();
      };
      return storedWatch({
        ...{ ...held, identity_id, log, newKey, random, scheduler },
        watch: options => own.watchSignals(endpoint, {}, { ...options, beforePoll }),
      }).pipe(
        tap(event => {
          // One that NATS does not answer, or that gets no token, is in nobody's way either.
          if (event.kind !== 'status' || event.status.state !== 'connecting') sent();
          if (event.kind === 'status') budget.slowDownFor(event.status);
        }),
      );
    };
    return this.#starts.turn(sent => defer(() => watched(sent)));
  };
}

/** How many polls may be sent from one address. All identities that are polled from there share it. */
export class RequestBudget {
  readonly #limit: RateLimit;
  readonly #emit: (event: FleetEvent) => void;
  #isLimited = false;
  #isPaused = false;

  constructor(requestsPerMinute: number, scheduler: SchedulerLike, emit: (event: FleetEvent) => void) {
    this.#emit = emit;
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
  take(): Observable<never> {
    return this.#limit.turn();
  }

  /** If the service has refused a poll because there were too many, all others wait, too. */
  slowDownFor({ state, error }: WatchStatus): void {
    if (state !== 'retrying' || !isStatusError(error) || error.status !== 429) return;
    const wait = Math.min(error.retryAfter ?? DEFAULT_WAIT_MS, MAX_WAIT_MS);
    this.#limit.pause(wait);
    this.#isPaused = true;
    this.#emit({ kind: 'rate_limited', by: 'service', wait, waiting: this.waiting });
  }

  /** Tells if the rate has become too low, or is high enough again, and when a pause is over. */
  check(): void {
    const { delay, waiting, pauseLeft } = this.#limit;
    if (pauseLeft > 0) return;
    if (this.#isPaused) this.#emit({ kind: 'rate_limited', by: 'service', wait: 0, waiting });
    this.#isPaused = false;
    const isLimited = waiting > 0 && (this.#isLimited || delay > NOTICEABLE_MS);
    if (isLimited === this.#isLimited) return;
    this.#isLimited = isLimited;
    this.#emit({ kind: 'rate_limited', by: 'requestsPerMinute', wait: isLimited ? delay : 0, waiting });
  }
}
