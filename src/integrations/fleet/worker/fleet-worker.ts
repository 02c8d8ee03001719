import {
  catchError,
  concatMap,
  EMPTY,
  endWith,
  last,
  merge,
  Observable,
  take,
  takeUntil,
  tap,
  timer,
  type SchedulerLike,
  type Subscriber,
  type Subscription,
  type TimestampProvider,
} from 'rxjs';
import { InputError } from '../../../error/index.js';
import type { FleetEvent } from '../fleet-event.js';
import type { FleetRegistry, Shares } from './fleet-registry.js';
import type { WatchIdentity } from './held-shard.js';
import { HeldShards } from './held-shards.js';
import type { Identities } from './identities.js';
import { Lead } from './lead.js';

/** A worker tells that it is alive so many times in a lease. */
const BEATS_PER_LEASE = 4;

/**
 * A worker that has no answer of NATS for so many leases gives up its shards: others have them, and its polls are for nothing. Sooner would stop
 * all polls whenever NATS restarts.
 */
const PATIENCE_LEASES = 3;

/** What a worker needs; everything about NATS and the service is behind `registry` and `watch`. */
export interface FleetWorkerConfig {
  readonly name: string;
  /** Different for each process. */
  readonly instance: string;
  readonly registry: FleetRegistry;
  readonly identities: Identities;
  readonly shards: number;
  readonly lease: number;
  readonly capacity: number;
  /** Gives up everything and completes when this emits. */
  readonly drain$: Observable<unknown>;
  readonly watch: WatchIdentity;
  /** Called at each tick. Returns how many polls wait for the rate limit. */
  readonly waiting: () => number;
  readonly scheduler: SchedulerLike;
  readonly monotonic: TimestampProvider;
}

/**
 * One of the workers that share a fleet's shards. It tells that it is alive, learns from the leader which shards it has, and follows the
 * identities in them. Unsubscribing releases everything at once; `drain$` also waits until that is stored.
 */
export function fleetWorker(config: FleetWorkerConfig): Observable<FleetEvent> {
  return new Observable(subscriber => new FleetWorker(config, subscriber).start());
}

class FleetWorker {
  readonly #config: FleetWorkerConfig;
  readonly #subscriber: Subscriber<FleetEvent>;
  readonly #lead: Lead;
  readonly #held: HeldShards;
  #shares: Shares | undefined;
  #knowsIdentities = false;
  #isBeating = false;
  #looking: Subscription | undefined;
  #isLooking = false;
  #looksAgain = false;
  #isReady = false;
  #isNamesake = false;
  #hasLeft = false;

  constructor(config: FleetWorkerConfig, subscriber: Subscriber<FleetEvent>) {
    const { name, capacity, registry, identities, watch, scheduler, monotonic } = config;
    this.#config = config;
    this.#subscriber = subscriber;
    this.#lead = new Lead({ ...config, me: { worker: name, capacity } });
    this.#held = new HeldShards({
      ...{ name, registry, identities, watch, scheduler, monotonic },
      tell: this.#tell,
      tried: this.#tried,
      failed: error => subscriber.error(error),
      settled: () => this.#tellReady(),
      superseded: () => {
        this.#lead.doubt();
        this.#look();
      },
    });
  }

  readonly #tell = (event: FleetEvent): void => this.#subscriber.next(event);

  /** Tells if something fails. It is done again at another tick, if it is still needed. */
  readonly #tried = <T>(task$: Observable<T>): Observable<T> =>
    task$.pipe(
      tap({ error: (error: unknown) => this.#tell({ kind: 'trouble', error }) }),
      catchError(() => EMPTY),
    );

  start(): void {
    const { identities, registry, lease, drain$, scheduler } = this.#config;
    const subscriber = this.#subscriber;
    subscriber.add(() => this.#leave().subscribe());
    const error = (error: unknown) => subscriber.error(error);
    const known = () => {
      if (this.#knowsIdentities) return;
      this.#knowsIdentities = true;
      this.#tick();
    };
    subscriber.add(identities.known$.subscribe({ next: known, error }));
    subscriber.add(registry.changed$.subscribe({ next: () => this.#look(), error }));
    const ticks$ = timer(lease / BEATS_PER_LEASE, lease / BEATS_PER_LEASE, scheduler);
    subscriber.add(ticks$.subscribe(() => this.#tick()));
    const drained$ = drain$.pipe(
      take(1),
      concatMap(() => this.#leave().pipe(takeUntil(timer(lease, scheduler)), endWith('drained'), last())),
    );
    const drained = () => {
      this.#tell({ kind: 'drained' });
      subscriber.complete();
    };
    subscriber.add(drained$.subscribe({ next: drained, error }));
  }

  #tick(): void {
    if (this.#hasLeft) return;
    const waiting = this.#config.waiting();
    this.#held.tellFailure();
    this.#held.save().subscribe();
    if (this.#lead.silence > PATIENCE_LEASES * this.#config.lease) this.#held.loseAll();
    // A worker is there for the others once it knows what it is to follow.
    if (this.#knowsIdentities && !this.#isBeating) this.#beat(waiting);
  }

  #beat(waiting: number): void {
    const { name, instance, capacity, registry, monotonic } = this.#config;
    const beat = { worker: name, instance, capacity, ...this.#held.numbers, waiting };
    const sentAt = monotonic.now();
    this.#isBeating = true;
    const beaten$ = this.#tried(registry.present(beat)).pipe(
      tap(hasNamesake => {
        this.#lead.answered(sentAt);
        this.#tell({ kind: 'beat', beat });
        this.#isNamesake = hasNamesake;
        if (hasNamesake)
          this.#subscriber.error(new InputError('name', 'a name that no other worker has', name));
        this.#look();
      }),
    );
    beaten$.subscribe().add(() => (this.#isBeating = false));
  }

  /** Learns who has what, one time after another. */
  #look(): void {
    if (this.#hasLeft || !this.#knowsIdentities) return;
    this.#looksAgain = this.#isLooking;
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#looking = this.#tried(this.#lead.look()).subscribe(shares => this.#follow(shares));
    this.#looking.add(() => {
      this.#isLooking = false;
      if (this.#looksAgain) this.#look();
    });
  }

  #follow(shares: Shares): void {
    if (this.#hasLeft) return;
    const before = this.#shares;
    this.#shares = shares;
    if (before !== shares) this.#tellWorkers(shares, before);
    this.#held.follow(shares, before);
    this.#tellReady();
  }

  #tellReady(): void {
    const hasShare = this.#shares?.workers.some(({ worker }) => worker === this.#config.name);
    if (this.#isReady || !hasShare || !this.#held.isSettled) return;
    this.#isReady = true;
    this.#tell({ kind: 'ready' });
  }

  #tellWorkers({ workers, silent }: Shares, before: Shares | undefined): void {
    const known = new Set(before?.workers.map(({ worker }) => worker));
    for (const { worker } of workers)
      if (!known.delete(worker)) this.#tell({ kind: 'worker', worker, state: 'joined' });
    for (const worker of known)
      this.#tell({ kind: 'worker', worker, state: silent.includes(worker) ? 'silent' : 'left' });
  }

  /** Gives up everything, once. Completes when that is stored, or has failed. */
  #leave(): Observable<unknown> {
    if (this.#hasLeft) return EMPTY;
    this.#hasLeft = true;
    this.#looking?.unsubscribe();
    return merge(this.#held.releaseAll(), this.#isNamesake ? EMPTY : this.#tried(this.#lead.leave()));
  }
}
