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
import { DifferingLists } from './differing-lists.js';
import type { FleetRegistry, Presence, Shares } from './fleet-registry.js';
import type { WatchIdentity } from './owned-shard.js';
import { OwnedShards } from './owned-shards.js';
import type { Identities } from './identities.js';
import { latenessOf } from './lateness.js';
import { Members } from './members.js';
import { Overload } from './overload.js';

/** A worker tells that it is alive so many times in a lease. */
const BEATS_PER_LEASE = 4;

// A worker without an answer of NATS for three leases gives up its shards. Sooner would stop all
// polls whenever NATS restarts. Counted in ticks: if they are late, so is whatever it would hear.
const PATIENCE_TICKS = 3 * BEATS_PER_LEASE;

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
  /** Those that it polls from. */
  readonly addresses: readonly number[];
  /** Gives up everything and completes when this emits. */
  readonly drain$: Observable<unknown>;
  readonly watch: WatchIdentity;
  /** Called at each tick. Returns how many polls wait for the rate limit. */
  readonly waiting: () => number;
  /** Called with all who are alive whenever they are read. */
  readonly seen: (present: readonly Presence[]) => void;
  readonly scheduler: SchedulerLike;
  readonly monotonic: TimestampProvider;
}

/**
 * One of the workers that share a fleet's shards. It tells that it is alive, learns who else is,
 * and follows the identities in the shards that it has among them. Unsubscribing releases
 * everything at once; `drain$` also waits until that is stored.
 */
export function fleetWorker(config: FleetWorkerConfig): Observable<FleetEvent> {
  return new Observable(subscriber => new FleetWorker(config, subscriber).start());
}

class FleetWorker {
  readonly #config: FleetWorkerConfig;
  readonly #subscriber: Subscriber<FleetEvent>;
  readonly #members: Members;
  readonly #held: OwnedShards;
  readonly #lists: DifferingLists;
  readonly #overload: Overload;
  #shares: Shares | undefined;
  #knowsIdentities = false;
  #isBeating = false;
  #silentTicks = 0;
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
    this.#members = new Members({ ...config, me: { worker: name, capacity }, seen: this.#seen });
    this.#lists = new DifferingLists(config.lease);
    this.#overload = new Overload(capacity, this.#emit);
    this.#held = new OwnedShards({
      name,
      registry,
      identities,
      watch,
      scheduler,
      monotonic,
      emit: this.#emit,
      tried: this.#tried,
      failed: error => subscriber.error(error),
      settled: () => this.#emitReady(),
    });
  }

  readonly #emit = (event: FleetEvent): void => this.#subscriber.next(event);

  readonly #seen = (present: readonly Presence[]): void => {
    const { identities, monotonic, seen } = this.#config;
    seen(present);
    const given = identities.given();
    if (!given) return;
    for (const { worker, theirs } of this.#lists.check(given, present, monotonic.now()))
      this.#emit({ kind: 'identities_differ', worker, theirs, own: given.count });
  };

  /** Tells if something fails. It is done again at another tick, if it is still needed. */
  readonly #tried = <T>(task$: Observable<T>): Observable<T> =>
    task$.pipe(
      tap({ error: (error: unknown) => this.#emit({ kind: 'nats_error', error }) }),
      catchError(() => EMPTY),
    );

  start(): void {
    const { identities, registry, lease, drain$, scheduler, monotonic } = this.#config;
    const subscriber = this.#subscriber;
    subscriber.add(() => this.#leave().subscribe());
    const error = (error: unknown) => subscriber.error(error);
    const known = () => {
      if (this.#knowsIdentities) return;
      this.#knowsIdentities = true;
      this.#tick();
    };
    subscriber.add(identities.known$.subscribe({ next: known, error }));
    const changed = (leaving: string) => {
      if (leaving !== '') this.#members.leaving(leaving);
      this.#look(true);
    };
    subscriber.add(registry.changed$.subscribe({ next: changed, error }));
    subscriber.add(latenessOf(scheduler, monotonic).subscribe(late => this.#overload.late(late)));
    const ticks$ = timer(lease / BEATS_PER_LEASE, lease / BEATS_PER_LEASE, scheduler);
    subscriber.add(ticks$.subscribe(() => this.#tick()));
    const drained$ = drain$.pipe(
      take(1),
      concatMap(() => this.#leave().pipe(takeUntil(timer(lease, scheduler)), endWith('drained'), last())),
    );
    const drained = () => {
      this.#emit({ kind: 'drained' });
      subscriber.complete();
    };
    subscriber.add(drained$.subscribe({ next: drained, error }));
  }

  #tick(): void {
    if (this.#hasLeft) return;
    const waiting = this.#config.waiting();
    this.#held.tellFailures();
    this.#held.count();
    const late = this.#overload.check(this.#held.numbers.identities);
    this.#emitReady(waiting);
    this.#held.save().subscribe();
    if (++this.#silentTicks > PATIENCE_TICKS) this.#held.loseAll();
    // A worker is there for the others once it knows what it is to follow.
    if (this.#knowsIdentities) this.#beat(waiting, late);
  }

  #beat(waiting: number, late: number): void {
    const { name, instance, capacity, addresses, identities, registry, monotonic } = this.#config;
    const me = { worker: name, capacity, addresses, given: identities.given() };
    const beat = {
      worker: name,
      instance,
      capacity,
      ...this.#held.numbers,
      waiting,
      late,
    };
    const told = (stored: boolean) =>
      this.#emit({ kind: 'heartbeat', heartbeat: { ...beat, ...this.#held.numbers }, stored });
    if (this.#isBeating) return told(false);
    const sentAt = monotonic.now();
    let isStored = false;
    this.#isBeating = true;
    const beaten$ = this.#tried(registry.present(beat, me)).pipe(
      tap(hasNamesake => {
        this.#members.answered(sentAt);
        this.#silentTicks = 0;
        isStored = true;
        told(true);
        this.#isNamesake = hasNamesake;
        if (hasNamesake)
          this.#subscriber.error(new InputError('name', 'a name that no other worker has', name));
        this.#look();
      }),
    );
    beaten$.subscribe().add(() => {
      this.#isBeating = false;
      if (!isStored && !this.#hasLeft) told(false);
    });
  }

  /** Learns who has what, one time after another. */
  #look(isTold = false): void {
    if (this.#hasLeft || !this.#knowsIdentities) return;
    this.#looksAgain = this.#isLooking;
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#looking = this.#tried(this.#members.look(isTold)).subscribe(shares => this.#follow(shares));
    this.#looking.add(() => {
      this.#isLooking = false;
      if (this.#looksAgain) this.#look(true);
    });
  }

  #follow(shares: Shares): void {
    if (this.#hasLeft) return;
    const before = this.#shares;
    this.#shares = shares;
    if (before !== shares) this.#emitWorkers(shares, before);
    this.#held.follow(shares, before);
    this.#emitReady();
  }

  /** `waiting` polls wait for the rate limit. */
  #emitReady(waiting = 0): void {
    const hasShare = this.#shares?.workers.some(({ worker }) => worker === this.#config.name);
    if (this.#isReady || !hasShare || !this.#held.isSettled || this.#held.starting > waiting) return;
    this.#isReady = true;
    this.#emit({ kind: 'ready' });
  }

  #emitWorkers({ workers, silent }: Shares, before: Shares | undefined): void {
    const known = new Set(before?.workers.map(({ worker }) => worker));
    for (const { worker } of workers)
      if (!known.delete(worker)) this.#emit({ kind: 'worker', worker, state: 'joined' });
    for (const worker of known)
      this.#emit({ kind: 'worker', worker, state: silent.includes(worker) ? 'silent' : 'left' });
  }

  /** Gives up everything, once. Completes when that is stored, or has failed. */
  #leave(): Observable<unknown> {
    if (this.#hasLeft) return EMPTY;
    this.#hasLeft = true;
    this.#looking?.unsubscribe();
    const { registry, name } = this.#config;
    const left$ = this.#isNamesake ? EMPTY : this.#tried(registry.leave(name));
    return merge(this.#held.releaseAll(), left$);
  }
}
