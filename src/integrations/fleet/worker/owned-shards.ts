import {
  catchError,
  defer,
  EMPTY,
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
import type { FleetRegistry, Shares } from './fleet-registry.js';
import type { Identities } from './identities.js';
import { IdentityStatuses, type IdentityEvent, type IdentityPolls } from './identity/index.js';
import { ShardCheckpoints } from './shard-checkpoints.js';

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

/** A shard that a worker owns. */
class OwnedShard {
  readonly number: number;
  /** `undefined` until the checkpoints have been read. From then on, the worker owns the shard. */
  checkpoints: ShardCheckpoints | undefined;
  /** Whether the identities in the shard are known. */
  isKnown = false;
  /** By identity. */
  readonly watches = new Map<string, Subscription>();
  readonly following = new Subscription();

  constructor(number: number) {
    this.number = number;
  }
}

/** The shards that a worker owns. It follows the identities in these shards. */
export class OwnedShards {
  readonly #config: OwnedShardsConfig;
  readonly #shards = new Map<number, OwnedShard>();
  readonly #statuses = new IdentityStatuses();
  /**
   * The shards that were lost because NATS did not answer, with the number of identities in each.
   * They still count as identities that this worker should follow.
   */
  readonly #lost = new Map<number, number>();
  /** How many shards the worker is to own. `undefined` while it does not take part. */
  #share: number | undefined;
  #isReady = false;

  constructor(config: OwnedShardsConfig) {
    this.#config = config;
  }

  /**
   * Takes the shards that the worker has in these shares, and releases all others. `before` are the
   * former shares.
   */
  follow({ workers, owners, silent }: Shares, before: Shares): void {
    const me = workers.findIndex(({ worker }) => worker === this.#config.name);
    for (const number of this.#lost.keys()) if (owners[number] !== me) this.#lost.delete(number);
    for (const number of [...this.#shards.keys()])
      if (owners[number] !== me) this.#release(number).subscribe();
    owners.forEach((owner, number) => {
      if (owner !== me || this.#shards.has(number)) return;
      const last = before.workers[before.owners[number] ?? -1]?.worker ?? '';
      this.#take(number, silent.includes(last) ? last : undefined);
    });
    this.#share = me < 0 ? undefined : owners.filter(owner => owner === me).length;
    this.#emitReady();
  }

  /**
   * Gives up all shards. It stores checkpoints at once, because the connection may be drained right
   * after this.
   */
  releaseAll(): Observable<unknown> {
    return merge(...[...this.#shards.keys()].map(number => this.#release(number)));
  }

  /** Gives up all shards without storing anything, because others may have taken them. */
  loseAll(): void {
    for (const [number, shard] of [...this.#shards]) {
      const { size } = shard.watches;
      this.#drop(shard);
      if (!shard.checkpoints) continue;
      this.#lost.set(number, size);
      this.#config.subscriber.next({ kind: 'lost', shard: number });
    }
  }

  /** The part of a heartbeat about the owned shards. */
  get numbers(): Omit<Heartbeat, 'worker' | 'instance' | 'capacity' | 'waiting' | 'late'> {
    const shards = [...this.#shards.values()].filter(({ checkpoints }) => checkpoints).length;
    const numbers = this.#statuses.numbers(this.#config.monotonic.now());
    let { identities } = numbers;
    for (const size of this.#lost.values()) identities += size;
    return { ...numbers, shards, identities };
  }

  /**
   * Emits why polls fail, as long as some do, and what NATS has failed to do since the last tick.
   * Saves bare checkpoints that have not been saved for a while.
   */
  tick(): void {
    const { polls, subscriber, monotonic } = this.#config;
    const now = monotonic.now();
    polls.check();
    for (const event of this.#statuses.failures(now)) subscriber.next(event);
    this.#emitReady();
    for (const shard of this.#shards.values())
      if (shard.checkpoints?.isUnsaved(now)) this.#storeCheckpoints(shard).subscribe();
  }

  #take(number: number, from: string | undefined): void {
    const { registry, identities, subscriber, scheduler, monotonic } = this.#config;
    const shard = new OwnedShard(number);
    this.#shards.set(number, shard);
    const owned$ = registry.checkpoints(number).pipe(
      tap(checkpoints => {
        shard.checkpoints = new ShardCheckpoints(checkpoints, monotonic.now());
        this.#lost.delete(number);
        subscriber.next({ kind: 'assigned', shard: number, from });
      }),
      // The shard is taken after the next look instead.
      catchError((error: unknown) => {
        this.#drop(shard);
        return this.#failed(error);
      }),
    );
    const identities$ = defer(() => identities.of(number)).pipe(
      tap({
        error: (error: unknown) => {
          if (!isInputError(error)) this.#failed(error);
        },
      }),
      backoff({ shouldRetry: error => !isInputError(error), scheduler }),
    );
    const followed$ = owned$.pipe(switchMap(() => identities$));
    shard.following.add(
      followed$.subscribe({
        next: wanted => this.#follow(shard, wanted),
        error: (error: unknown) => subscriber.error(error),
      }),
    );
  }

  #follow(shard: OwnedShard, wanted: ReadonlySet<string>): void {
    const { watches, checkpoints } = shard;
    // Keeps the checkpoints of removed identities, because one may be wanted again in a moment.
    for (const identity_id of watches.keys()) if (!wanted.has(identity_id)) this.#leave(shard, identity_id);
    const added = [...wanted].filter(identity_id => !watches.has(identity_id));
    for (const identity_id of checkpoints!.inOrder(added)) this.#watch(shard, identity_id);
    shard.isKnown = true;
    this.#emitReady();
  }

  #watch(shard: OwnedShard, identity_id: string): void {
    const { polls, monotonic } = this.#config;
    const checkpoints = shard.checkpoints!;
    const next = (event: IdentityEvent) => {
      const { starting } = this.#statuses;
      this.#statuses.next(identity_id, event, monotonic.now());
      if (event.kind === 'checkpoint') checkpoints.keep(identity_id, event.checkpoint);
      if (event.kind === 'stored') checkpoints.drop(identity_id);
      this.#emit(identity_id, event);
      if (this.#statuses.starting < starting) this.#emitReady();
    };
    const watching = new Subscription();
    shard.watches.set(identity_id, watching);
    this.#statuses.add(identity_id);
    watching.add(polls.watch(identity_id, checkpoints).subscribe(next));
  }

  #leave({ watches }: OwnedShard, identity_id: string): void {
    watches.get(identity_id)?.unsubscribe();
    watches.delete(identity_id);
    this.#statuses.delete(identity_id);
  }

  /** Emits the events of an identity that are reported one by one. */
  #emit(identity_id: string, event: IdentityEvent): void {
    const { subscriber } = this.#config;
    if (event.kind === 'conflict') subscriber.next({ kind: 'conflict', identity_id });
    if (event.kind === 'stored' && event.gap) subscriber.next({ kind: 'gap', identity_id, gap: event.gap });
    if (event.kind === 'rejected') {
      const { error, retryIn } = event;
      subscriber.next({ kind: 'identity_rejected', identity_id, error, retryIn });
    }
  }

  /**
   * Emits `ready` once, when the worker owns its part and has polled all identities except those
   * that wait for the rate limit.
   */
  #emitReady(): void {
    const { polls, subscriber } = this.#config;
    if (this.#isReady || this.#share === undefined || this.#shards.size < this.#share) return;
    if (this.#statuses.starting > polls.waiting) return;
    for (const { isKnown } of this.#shards.values()) if (!isKnown) return;
    this.#isReady = true;
    subscriber.next({ kind: 'ready' });
  }

  #release(number: number): Observable<unknown> {
    const shard = this.#shards.get(number)!;
    this.#drop(shard);
    if (!shard.checkpoints) return EMPTY;
    this.#config.subscriber.next({ kind: 'released', shard: number });
    return this.#storeCheckpoints(shard);
  }

  #storeCheckpoints({ number, checkpoints }: OwnedShard): Observable<unknown> {
    const { registry, monotonic } = this.#config;
    return registry
      .storeCheckpoints(number, checkpoints!.save(monotonic.now()))
      .pipe(catchError((error: unknown) => this.#failed(error)));
  }

  #drop(shard: OwnedShard): void {
    this.#shards.delete(shard.number);
    shard.following.unsubscribe();
    for (const identity_id of shard.watches.keys()) this.#leave(shard, identity_id);
  }

  #failed(error: unknown): Observable<never> {
    this.#config.subscriber.next({ kind: 'nats_error', error });
    return EMPTY;
  }
}
