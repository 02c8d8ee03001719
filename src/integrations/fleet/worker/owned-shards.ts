import {
  defer,
  EMPTY,
  merge,
  Subscription,
  tap,
  type Observable,
  type SchedulerLike,
  type TimestampProvider,
} from 'rxjs';
import { isInputError } from '../../../error/index.js';
import { backoff } from '../../../stream/index.js';
import type { FleetEvent, Heartbeat } from '../fleet-event.js';
import type { FleetRegistry, BareCheckpoints, Shares } from './fleet-registry.js';
import { OwnedShard, type ShardCounts, type WatchIdentity } from './owned-shard.js';
import type { Identities } from './identities.js';

/** What a worker needs to hold shards. */
export interface OwnedShardsConfig {
  /** Of the worker. */
  readonly name: string;
  readonly registry: Pick<FleetRegistry, 'checkpoints' | 'storeCheckpoints'>;
  readonly identities: Identities;
  readonly watch: WatchIdentity;
  readonly emit: (event: FleetEvent) => void;
  /** Tells if something fails, and completes. */
  readonly tried: <T>(task$: Observable<T>) => Observable<T>;
  /** The identities of a shard cannot be known. */
  readonly failed: (error: unknown) => void;
  /** It holds all that it has. */
  readonly settled: () => void;
  readonly scheduler: SchedulerLike;
  readonly monotonic: TimestampProvider;
}

/** The shards that a worker holds, and follows the identities of. */
export class OwnedShards {
  readonly #config: OwnedShardsConfig;
  readonly #held = new Map<number, OwnedShard>();
  /**
   * Those that were lost because NATS did not answer, and how many identities they had: this worker
   * should follow them still.
   */
  readonly #lost = new Map<number, number>();
  /** Those whose places are being read. */
  readonly #taking = new Map<number, Subscription>();
  /** Those that it has, and either does not hold yet, or does not know the identities of. */
  readonly #unsettled = new Set<number>();
  readonly #counts: ShardCounts = {
    starting: 0,
    live: 0,
    retrying: 0,
    rejected: 0,
    events: 0,
    unstored: 0,
    failure: undefined,
    unanswered: undefined,
  };

  constructor(config: OwnedShardsConfig) {
    this.#config = config;
  }

  /**
   * Holds what the worker has by these shares, and gives up everything else. `before` are the
   * shares before them.
   */
  follow({ workers, owners, silent }: Shares, before: Shares | undefined): void {
    const me = workers.findIndex(({ worker }) => worker === this.#config.name);
    for (const shard of this.#lost.keys()) if (owners[shard] !== me) this.#lost.delete(shard);
    for (const shard of [...this.#held.keys(), ...this.#unsettled])
      if (owners[shard] !== me) this.#release(shard).subscribe();
    owners.forEach((owner, shard) => {
      if (owner !== me || this.#held.has(shard) || this.#taking.has(shard)) return;
      const last = before?.workers[before.owners[shard] ?? -1]?.worker ?? '';
      this.#take(shard, silent.includes(last) ? last : undefined);
    });
  }

  /** Whether it holds all that it has, and knows the identities in them. */
  get isSettled(): boolean {
    return this.#unsettled.size === 0;
  }

  /**
   * Gives up all shards. Places are stored at once: a connection may be drained right after this.
   */
  releaseAll(): Observable<unknown> {
    return merge(...[...this.#held.keys(), ...this.#taking.keys()].map(shard => this.#release(shard)));
  }

  /** Others may have taken all shards. */
  loseAll(): void {
    for (const [shard, { size }] of this.#held) this.#lost.set(shard, size);
    for (const shard of [...this.#held.keys(), ...this.#taking.keys()]) this.#lose(shard);
  }

  /** Saves bare checkpoints that have not been saved for a while. */
  save(): Observable<unknown> {
    const now = this.#config.monotonic.now();
    const unsaved = [...this.#held.values()].filter(held => held.isUnsaved(now));
    return merge(...unsaved.map(held => this.#storeCheckpoints(held)));
  }

  /** What a worker tells about what it holds. */
  get numbers(): Omit<Heartbeat, 'worker' | 'instance' | 'capacity' | 'waiting' | 'late'> {
    const { live, retrying, rejected, events, unstored } = this.#counts;
    let identities = 0;
    for (const { size } of this.#held.values()) identities += size;
    for (const size of this.#lost.values()) identities += size;
    return { shards: this.#held.size, identities, live, retrying, rejected, events, unstored };
  }

  /** Counts those identities as live whose poll may be held now. */
  count(): void {
    for (const held of this.#held.values()) held.count();
  }

  /** How many identities have not been polled yet. */
  get starting(): number {
    return this.#counts.starting;
  }

  /**
   * Tells the last failure of a poll, as long as polls fail, and what NATS has failed to do since
   * this was called.
   */
  tellFailures(): void {
    const { failure, retrying, unanswered } = this.#counts;
    if (retrying === 0) this.#counts.failure = undefined;
    else if (failure) this.#config.emit({ kind: 'retrying', ...failure, identities: retrying });
    this.#counts.unanswered = undefined;
    if (unanswered) {
      const { error, identities } = unanswered;
      this.#config.emit({ kind: 'nats_error', error, identities: identities.size });
    }
  }

  #take(shard: number, from: string | undefined): void {
    const { registry, tried, emit } = this.#config;
    const taking = new Subscription();
    this.#taking.set(shard, taking);
    this.#unsettled.add(shard);
    const hold = (places: BareCheckpoints) => {
      this.#taking.delete(shard);
      emit({ kind: 'assigned', shard, from });
      this.#hold(shard, places);
    };
    taking.add(() => this.#taking.delete(shard));
    taking.add(
      tried(registry.checkpoints(shard)).subscribe({ next: hold, complete: () => taking.unsubscribe() }),
    );
  }

  #hold(shard: number, places: BareCheckpoints): void {
    const { watch, identities, emit, failed, scheduler, monotonic } = this.#config;
    const polled = () => {
      if (this.#counts.starting === 0) this.#config.settled();
    };
    const holder = { watch, emit, polled, scheduler, monotonic };
    const held = new OwnedShard(shard, places, monotonic.now(), holder, this.#counts);
    this.#held.set(shard, held);
    this.#lost.delete(shard);
    const identities$ = defer(() => identities.of(shard)).pipe(
      tap({
        next: () => {
          if (this.#unsettled.delete(shard) && this.isSettled) this.#config.settled();
        },
        error: (error: unknown) => {
          if (!isInputError(error)) emit({ kind: 'nats_error', error });
        },
      }),
      backoff({ shouldRetry: error => !isInputError(error), scheduler }),
    );
    held.follow(identities$, failed);
  }

  #release(shard: number): Observable<unknown> {
    const held = this.#held.get(shard);
    this.#drop(shard);
    if (!held) return EMPTY;
    this.#config.emit({ kind: 'released', shard });
    return this.#storeCheckpoints(held);
  }

  #storeCheckpoints(held: OwnedShard): Observable<unknown> {
    const { registry, tried, monotonic } = this.#config;
    return tried(registry.storeCheckpoints(held.shard, held.save(monotonic.now())));
  }

  #lose(shard: number): void {
    const isHeld = this.#held.has(shard);
    this.#drop(shard);
    if (isHeld) this.#config.emit({ kind: 'lost', shard });
  }

  #drop(shard: number): void {
    this.#taking.get(shard)?.unsubscribe();
    this.#held.get(shard)?.stop();
    this.#held.delete(shard);
    this.#unsettled.delete(shard);
  }
}
