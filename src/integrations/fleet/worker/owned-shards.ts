import {
  catchError,
  defer,
  EMPTY,
  map,
  merge,
  Subscription,
  switchMap,
  tap,
  type Observable,
  type SchedulerLike,
  type Subscriber,
  type TimestampProvider,
} from 'rxjs';
import { isInputError } from '../../../error/index.js';
import { backoff } from '../../../stream/index.js';
import type { FleetEvent, Heartbeat } from '../fleet-event.js';
import type { BareCheckpoints, FleetRegistry } from './fleet-registry.js';
import type { Identities } from './identities.js';
import { IdentityStatuses, type IdentityPolls } from './identity/index.js';
import { ownerOf, shardsOf, type Assignment } from './known-workers.js';
import { OwnedShard, type OwnedShardContext } from './owned-shard.js';

/** The options of {@link OwnedShards}. */
export interface OwnedShardsConfig {
  /** The name of the worker. */
  readonly name: string;
  readonly registry: Pick<FleetRegistry, 'checkpoints' | 'storeCheckpoints'>;
  readonly identities: Identities;
  readonly polls: Pick<IdentityPolls, 'check' | 'waiting' | 'watch'>;
  /** Gets the events, and an error if the identities of a shard are invalid. */
  readonly subscriber: Subscriber<FleetEvent>;
  readonly scheduler: SchedulerLike;
  readonly monotonic: TimestampProvider;
}

/**
 * The shards that a worker owns. A worker first takes a shard that is assigned to it. It owns the
 * shard once the bare checkpoints of the shard have been read.
 *
 * A shard that is released is reported, and its checkpoints are stored. A shard that is lost is
 * reported, and nothing is stored, since others may have taken it.
 */
export class OwnedShards {
  readonly #config: OwnedShardsConfig;
  readonly #context: OwnedShardContext;
  readonly #statuses = new IdentityStatuses();
  /** By shard, what the worker does for it, from when the shard is taken. */
  readonly #taken = new Map<number, Subscription>();
  readonly #owned = new Map<number, OwnedShard>();
  /**
   * The shards that were lost because NATS did not answer, with the number of identities in each.
   * They still count as identities that this worker should follow.
   */
  readonly #lost = new Map<number, number>();
  /** How many shards the worker is to own. `undefined` while it does not take part. */
  #assigned: number | undefined;
  #isReady = false;

  constructor(config: OwnedShardsConfig) {
    const { registry, polls, subscriber, monotonic } = config;
    this.#config = config;
    this.#context = {
      registry,
      polls,
      statuses: this.#statuses,
      subscriber,
      monotonic,
      onProgress: () => this.#reportReady(),
    };
  }

  /** Takes the shards that are assigned to the worker, and releases all others. */
  applyAssignment(assignment: Assignment, before: Assignment): void {
    const assigned = shardsOf(assignment, this.#config.name);
    for (const shard of this.#lost.keys()) {
      if (!assigned?.has(shard)) this.#lost.delete(shard);
    }
    for (const shard of this.#taken.keys()) {
      if (!assigned?.has(shard)) this.#release(shard).subscribe();
    }
    for (const shard of assigned ?? []) {
      if (this.#taken.has(shard)) continue;
      const owner = ownerOf(before, shard);
      const isSilent = owner !== undefined && assignment.silent.includes(owner);
      this.#take(shard, isSilent ? owner : undefined);
    }
    this.#assigned = assigned?.size;
    this.#reportReady();
  }

  /** Releases all shards. It stores at once, because the connection may be drained right after. */
  releaseAll(): Observable<unknown> {
    return merge(...[...this.#taken.keys()].map(shard => this.#release(shard)));
  }

  /** Loses all shards. */
  loseAll(): void {
    for (const [shard, { size }] of this.#owned) {
      this.#drop(shard);
      this.#lost.set(shard, size);
      this.#config.subscriber.next({ kind: 'lost', shard });
    }
    // The rest is not owned yet, and nothing is reported.
    for (const shard of this.#taken.keys()) this.#drop(shard);
  }

  /** The part of a heartbeat about the owned shards. */
  counts(): Omit<Heartbeat, 'worker' | 'instance' | 'capacity' | 'waiting' | 'late'> {
    const counts = this.#statuses.counts(this.#config.monotonic.now());
    let { identities } = counts;
    for (const size of this.#lost.values()) identities += size;
    const { failing } = this.#statuses;
    const why = failing.length > 0 ? { failing } : {};
    return { ...counts, ...why, shards: this.#owned.size, identities };
  }

  /**
   * Emits why polls fail, as long as some do, and what NATS has failed to do since the last tick.
   * Saves bare checkpoints that have not been saved for a while.
   */
  tick(): void {
    const { polls, subscriber, monotonic } = this.#config;
    polls.check();
    for (const event of this.#statuses.failures(monotonic.now())) subscriber.next(event);
    this.#reportReady();
    for (const owned of this.#owned.values()) {
      if (owned.isUnsaved) owned.storeCheckpoints().subscribe();
    }
  }

  /** `from` is the silent worker that owned the shard before. */
  #take(shard: number, from: string | undefined): void {
    const { registry, subscriber } = this.#config;
    const taken = new Subscription();
    this.#taken.set(shard, taken);
    const identities$ = this.#identitiesOf(shard);
    const owned$ = registry.checkpoints(shard).pipe(
      catchError((error: unknown) => {
        // The shard is taken again after the next look.
        this.#drop(shard);
        subscriber.next({ kind: 'nats_error', error });
        return EMPTY;
      }),
      map(stored => this.#own(shard, stored, from)),
      switchMap(owned => identities$.pipe(tap(identities => owned.setIdentities(identities)))),
    );
    taken.add(owned$.subscribe({ error: (error: unknown) => subscriber.error(error) }));
  }

  #own(shard: number, stored: BareCheckpoints, from: string | undefined): OwnedShard {
    const owned = new OwnedShard(shard, stored, this.#context);
    this.#owned.set(shard, owned);
    this.#lost.delete(shard);
    this.#config.subscriber.next({ kind: 'assigned', shard, from });
    return owned;
  }

  /** The identities of a shard. Only invalid ones are an error. */
  #identitiesOf(shard: number): Observable<ReadonlySet<string>> {
    const { identities, subscriber, scheduler } = this.#config;
    const shouldRetry = (error: unknown) => {
      if (isInputError(error)) return false;
      subscriber.next({ kind: 'identities_error', shard, error });
      return true;
    };
    return defer(() => identities.of(shard)).pipe(backoff({ shouldRetry, scheduler }));
  }

  /**
   * Reports `ready` once, when the worker owns its part and has polled all identities except those
   * that wait for the rate limit.
   */
  #reportReady(): void {
    const { polls, subscriber } = this.#config;
    if (this.#isReady || this.#assigned === undefined || this.#owned.size < this.#assigned) return;
    if (this.#statuses.starting > polls.waiting) return;
    for (const { isKnown } of this.#owned.values()) {
      if (!isKnown) return;
    }
    this.#isReady = true;
    subscriber.next({ kind: 'ready' });
  }

  #release(shard: number): Observable<unknown> {
    const owned = this.#drop(shard);
    if (!owned) return EMPTY;
    this.#config.subscriber.next({ kind: 'released', shard });
    return owned.storeCheckpoints();
  }

  /** Ends all work for a shard. Returns the shard if it was owned. */
  #drop(shard: number): OwnedShard | undefined {
    const owned = this.#owned.get(shard);
    this.#taken.get(shard)?.unsubscribe();
    this.#taken.delete(shard);
    this.#owned.delete(shard);
    owned?.close();
    return owned;
  }
}
