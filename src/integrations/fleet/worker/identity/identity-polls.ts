import { defer, ignoreElements, Observable, retry, tap, timer, type SchedulerLike } from 'rxjs';
import { createClient, type ClientConfig } from '../../../../client/index.js';
import { rawEventsWatch } from '../../../../endpoint/index.js';
import { anAnswerObject, answeredAtOnce } from '../../../../error/index.js';
import { watchSettings } from '../../../../stream/index.js';
import type { Transport } from '../../../../transport/index.js';
import type { FleetEvent } from '../../fleet-event.js';
import { numberOf } from '../assign-shards.js';
import type { Presence } from '../fleet-registry.js';
import type { IdentityEvent } from './identity-status.js';
import { RequestBudget } from './request-budget.js';
import type { ShardCheckpoints } from '../shard-checkpoints.js';
import { Starts } from './starts.js';
import { storedWatch, type StoredWatchConfig } from './stored-watch.js';

/** How long a poll may last if the client has no option for it, in ms. */
const { timeout: POLL_TIMEOUT_MS } = watchSettings({});

/**
 * After the service has rejected an identity, the identity is polled again after this time, in ms.
 */
const ASK_AGAIN_MS = 60_000;

/** How many watches may begin at once. */
const MAX_STARTS = 256;

/**
 * The `overloaded` event is emitted if a watch has not begun after this time, in ms. The service
 * keeps events for 300 s.
 */
const LATE_START_MS = 200_000;

/**
 * Makes another hash of an identity than the address has. With the same hash, an address would use
 * only some of its transports.
 */
const TRANSPORT_SALT = ' ';

/** One of the candidates, the same one each time. */
function pickFor<T>(key: string, candidates: readonly T[]): T {
  return candidates[numberOf(key) % candidates.length]!;
}

/** An address that polls are sent from. */
export interface PollAddress {
  /**
   * All workers with an address of this name share its rate. Without a name, only this worker uses
   * it.
   */
  readonly name: string | undefined;
  readonly transports: readonly Transport[];
}

/** The options of {@link IdentityPolls}. */
export interface IdentityPollsConfig extends Pick<
  StoredWatchConfig,
  'log' | 'newKey' | 'random' | 'monotonic'
> {
  readonly client: (identity_id: string) => ClientConfig;
  /** The addresses that polls are sent from. */
  readonly addresses: readonly PollAddress[];
  /** The rate of each address. */
  readonly requestsPerMinute: number;
  readonly emit: (event: FleetEvent) => void;
  readonly scheduler: SchedulerLike;
}

/**
 * The polls of a worker. Each identity is polled from one of the worker's addresses, within the
 * budget of that address.
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

  /** A number for each named address. Workers with the same number share its rate. */
  get addresses(): readonly number[] {
    return this.#addresses.flatMap(({ id }) => id ?? []);
  }

  /** The number of polls that wait for the rate limit. */
  get waiting(): number {
    return this.#addresses.reduce((sum, { budget }) => sum + budget.waiting, 0);
  }

  /** Shares the rate of each address with all live workers that poll from it. */
  shareRate(present: readonly Presence[]): void {
    for (const { id, budget } of this.#addresses) {
      if (id === undefined) continue;
      const sharing = present.filter(({ addresses }) => addresses.includes(id)).map(({ worker }) => worker);
      budget.shareAmong(Math.max(1, new Set(sharing).size));
    }
  }

  /** Emits events if polls begin or end to wait, and if watches wait too long for their start. */
  check(): void {
    const { waiting, wait } = this.#starts.late;
    const isLate = wait > LATE_START_MS;
    if (isLate && !this.#isLate) this.#config.emit({ kind: 'overloaded', by: 'time', identities: waiting });
    this.#isLate = isLate;
    for (const { budget } of this.#addresses) budget.check();
  }

  /**
   * Follows one identity, from its last record or its bare checkpoint, whichever is newer. If the
   * service rejects the identity, it is polled again after a minute.
   */
  watch(identity_id: string, checkpoints: Pick<ShardCheckpoints, 'of'>): Observable<IdentityEvent> {
    const watch$ = new Observable<IdentityEvent>(subscriber => {
      const emit = (event: IdentityEvent) => subscriber.next(event);
      const askAgain = (error: unknown) => {
        emit({ kind: 'rejected', error, retryIn: ASK_AGAIN_MS });
        return timer(ASK_AGAIN_MS, this.#config.scheduler);
      };
      const events$ = defer(() => this.#watch(identity_id, checkpoints, emit));
      return events$.pipe(retry({ delay: askAgain })).subscribe(subscriber);
    });
    return this.#starts.turn(watch$);
  }

  #watch(
    identity_id: string,
    checkpoints: Pick<ShardCheckpoints, 'of'>,
    emit: (event: IdentityEvent) => void,
  ): Observable<IdentityEvent> {
    const { client, log, newKey, random, scheduler, monotonic } = this.#config;
    const { transports, budget } = pickFor(identity_id, this.#addresses);
    const options = answeredAtOnce('client', client(identity_id), anAnswerObject) as ReturnType<
      typeof client
    >;
    const send = options.transport ?? pickFor(identity_id + TRANSPORT_SALT, transports);
    const timeout = options.watch?.timeout ?? POLL_TIMEOUT_MS;
    const transport: Transport = request => {
      emit({ kind: 'polled', timeout });
      return send(request);
    };
    // The client has no quota, because all identities share the budget of their address.
    const watch = { ...options.watch, quota: Infinity };
    const config: ClientConfig = { scheduler, testing: { random }, ...options, transport, watch };
    const polling = createClient(config);
    const { response } = rawEventsWatch;
    const endpoint = { ...rawEventsWatch, ...config.endpoints?.eventsWatch, response };
    const beforePoll = () => {
      if (budget.waiting > 0) emit({ kind: 'waiting' });
      return budget.take('all').pipe(ignoreElements());
    };
    const events$ = storedWatch({
      identity_id,
      checkpoints,
      log,
      newKey,
      random,
      scheduler,
      monotonic,
      watch: position => polling.watchSignals(endpoint, {}, { ...position, beforePoll }),
    });
    return events$.pipe(
      tap(event => {
        if (event.kind === 'status') budget.slowDownFor(event.status);
      }),
    );
  }
}
