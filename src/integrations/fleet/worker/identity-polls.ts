import { Observable, tap, type SchedulerLike, type Subscriber, type Subscription } from 'rxjs';
import { createClient, type ClientConfig } from '../../../client/index.js';
import { rawEventsWatch } from '../../../endpoint/index.js';
import { isStatusError, MAX_WAIT_MS } from '../../../error/index.js';
import { watchSettings, type WatchStatus } from '../../../stream/index.js';
import type { Transport } from '../../../transport/index.js';
import type { FleetEvent } from '../fleet-event.js';
import { numberOf, shardOf } from './assign-shards.js';
import type { Presence } from './fleet-registry.js';
import type { WatchIdentity } from './owned-shard.js';
import { RateLimit } from './rate-limit.js';
import { Starts } from './starts.js';
import { storedWatch, type StoredWatchConfig, type StoredWatchEvent } from './stored-watch.js';

/** A longer wait than this for the turn of a poll is worth telling, in ms. */
const NOTICEABLE_MS = 1_000;

/**
 * How long to wait if the service says that there are too many requests, but not for how long, in
 * ms.
 */
const DEFAULT_WAIT_MS = 60_000;

/** How long a poll may last, if the options of a client do not say it, in ms. */
const { timeout: POLL_TIMEOUT_MS } = watchSettings({});

/** So many watches begin at once. */
const MAX_STARTS = 256;

/** A watch that has not begun after so long is told, in ms: the service keeps events for 300 s. */
const LATE_MS = 200_000;

/** The part of a minute's requests that may be sent at once. */
const BURST = 0.5;

/** An address that polls are sent from. */
export interface PollAddress {
  /** All workers that name it so share its rate. Without a name, it is this worker's alone. */
  readonly name: string | undefined;
  readonly transports: readonly Transport[];
}

/** How a worker polls identities. */
export interface IdentityPollsConfig extends Pick<
  StoredWatchConfig,
  'log' | 'newKey' | 'random' | 'monotonic'
> {
  readonly client: (identity_id: string) => ClientConfig;
  /** The addresses that polls are sent from. */
  readonly addresses: readonly PollAddress[];
  /** From each address. */
  readonly requestsPerMinute: number;
  readonly emit: (event: FleetEvent) => void;
  readonly scheduler: SchedulerLike;
}

/**
 * The polls of a worker: each identity is polled from one of its addresses, within the budget of
 * that address.
 */
export class IdentityPolls {
  readonly #config: IdentityPollsConfig;
  readonly #addresses: readonly {
    readonly id: number | undefined;
    readonly transports: readonly Transport[];
    readonly budget: RequestBudget;
  }[];
  readonly #starts: Starts;
  #isLate = false;

  constructor(config: IdentityPollsConfig) {
    const { addresses, requestsPerMinute, emit, scheduler } = config;
    this.#config = config;
    this.#starts = new Starts(MAX_STARTS, scheduler);
    this.#addresses = addresses.map(({ name, transports }) => ({
      id: name === undefined ? undefined : numberOf(name),
      transports,
      budget: new RequestBudget(requestsPerMinute, scheduler, emit),
    }));
  }

  /** A number for each address that has a name. */
  get shared(): readonly number[] {
    return this.#addresses.flatMap(({ id }) => id ?? []);
  }

  /** Shares the rate of each address with those who poll from it, too. */
  share(present: readonly Presence[]): void {
    for (const { id, budget } of this.#addresses) {
      if (id === undefined) continue;
      const sharing = present.filter(({ addresses }) => addresses.includes(id)).map(({ worker }) => worker);
      budget.shareAmong(Math.max(1, new Set(sharing).size));
    }
  }

  /**
   * Tells if polls have to wait, or need not any more, and if watches do not begin. Returns how
   * many polls wait.
   */
  check(): number {
    const { waiting, wait } = this.#starts.late;
    const isLate = wait > LATE_MS;
    if (isLate && !this.#isLate) this.#config.emit({ kind: 'overloaded', by: 'time', identities: waiting });
    this.#isLate = isLate;
    for (const { budget } of this.#addresses) budget.check();
    return this.#addresses.reduce((sum, { budget }) => sum + budget.waiting, 0);
  }

  /** Follows one identity. */
  readonly watch: WatchIdentity = (identity_id, held) =>
    this.#starts.turn(sent => new Observable(subscriber => this.#watch(identity_id, held, sent, subscriber)));

  #watch(
    identity_id: string,
    held: Parameters<WatchIdentity>[1],
    sent: () => void,
    subscriber: Subscriber<StoredWatchEvent>,
  ): Subscription {
    const { client, log, newKey, random, scheduler, monotonic } = this.#config;
    const { transports, budget } = this.#addresses[shardOf(identity_id, this.#addresses.length)]!;
    // Not by the same number as the address, of which each would have one transport then.
    const send = transports[shardOf(`${identity_id} `, transports.length)]!;
    const given = client(identity_id);
    const transport: Transport = request => {
      sent();
      return send(request);
    };
    const timeout = given.watch?.timeout ?? POLL_TIMEOUT_MS;
    // All identities share the budget of their address.
    const watch = { ...given.watch, quota: Infinity };
    const config: ClientConfig = { transport, scheduler, testing: { random }, ...given, watch };
    const own = createClient(config);
    const { response } = rawEventsWatch;
    const endpoint = { ...rawEventsWatch, ...config.endpoints?.eventsWatch, response };
    const beforePoll = () => {
      // A poll that waits for the rate limit is in nobody's way.
      if (budget.waiting > 0) sent();
      return budget.take().pipe(tap({ complete: () => subscriber.next({ kind: 'polled', timeout }) }));
    };
    const events$ = storedWatch({
      ...held,
      identity_id,
      log,
      newKey,
      random,
      scheduler,
      monotonic,
      watch: options => own.watchSignals(endpoint, {}, { ...options, beforePoll }),
    }).pipe(
      tap(event => {
        // One that NATS does not answer, or that gets no token, is in nobody's way either.
        if (event.kind !== 'status' || event.status.state !== 'connecting') sent();
        if (event.kind === 'status') budget.slowDownFor(event.status);
      }),
    );
    return events$.subscribe(subscriber);
  }
}

/**
 * How many polls may be sent from one address. All identities that are polled from there share it.
 */
export class RequestBudget {
  readonly #limit: RateLimit;
  readonly #perMinute: number;
  readonly #emit: (event: FleetEvent) => void;
  #isLimited = false;
  #isPaused = false;

  constructor(requestsPerMinute: number, scheduler: SchedulerLike, emit: (event: FleetEvent) => void) {
    this.#emit = emit;
    this.#perMinute = requestsPerMinute;
    this.#limit = new RateLimit({ ...this.#rateAmong(1), scheduler });
  }

  /**
   * So many workers send from the address. While one of them comes, all together may send too much
   * for a beat.
   */
  shareAmong(workers: number): void {
    this.#limit.change(this.#rateAmong(workers));
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
  #rateAmong(workers: number) {
    const perMinute = this.#perMinute / workers;
    return { interval: 60_000 / perMinute, burst: Math.ceil(BURST * perMinute) };
  }
}
