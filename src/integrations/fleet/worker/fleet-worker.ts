import {
  concatMap,
  EMPTY,
  endWith,
  last,
  merge,
  take,
  takeUntil,
  tap,
  catchError,
  defer,
  Observable,
  Subscription,
  timer,
  type SchedulerLike,
  type Subscriber,
  type TimestampProvider,
} from 'rxjs';
import { InputError } from '../../../error/index.js';
import { backoff } from '../../../stream/index.js';
import type { FleetEvent } from '../fleet-event.js';
import type { FleetRoster, RosterEntry } from './fleet-roster.js';
import type { WatchIdentity } from './held-shard.js';
import { HeldShards } from './held-shards.js';
import { Membership } from './membership.js';
import { assignShards } from './assign-shards.js';
import { claimSteps } from './claim-steps.js';

/** A worker tells that it is alive so many times in a lease. */
const BEATS_PER_LEASE = 5;

/** What a worker needs; everything about NATS and the service is behind `roster` and `watch`. */
export interface FleetWorkerConfig {
  readonly name: string;
  /** Different for each process, and in the order in which they were started. */
  readonly instance: string;
  readonly roster: FleetRoster;
  /** The identities that the fleet is to follow: all of them each time. */
  readonly identities$: Observable<ReadonlySet<string>>;
  readonly shards: number;
  readonly lease: number;
  readonly capacity: number;
  /** Gives up everything and completes when this emits. */
  readonly drain$: Observable<unknown>;
  readonly watch: WatchIdentity;
  /** Called at each tick. Returns how many polls wait for the rate limit. */
  readonly waiting: () => number;
  readonly random: () => number;
  readonly scheduler: SchedulerLike;
  readonly monotonic: TimestampProvider;
}

/**
 * One of the workers that share a fleet's shards. It claims what it is assigned, follows the identities in it, and releases what
 * it is no longer assigned. Unsubscribing releases everything at once; `drain$` also waits until that is stored.
 */
export function fleetWorker(config: FleetWorkerConfig): Observable<FleetEvent> {
  return new Observable(subscriber => new FleetWorker(config, subscriber).start());
}

class FleetWorker {
  readonly #config: FleetWorkerConfig;
  readonly #subscriber: Subscriber<FleetEvent>;
  readonly #members: Membership;
  readonly #held: HeldShards;
  #owners: { readonly of: string; readonly list: readonly string[] } = { of: '', list: [] };
  #isReady = false;
  #isActing = false;
  #isBeating = false;
  #isNamesake = false;
  #hasShare = false;
  #hasLeft = false;
  #listening = new Subscription();

  constructor(config: FleetWorkerConfig, subscriber: Subscriber<FleetEvent>) {
    const { name, lease, shards, monotonic, roster, watch, scheduler } = config;
    this.#config = config;
    this.#subscriber = subscriber;
    this.#members = new Membership(name, lease, monotonic);
    this.#held = new HeldShards({
      ...{ name, shards, roster, watch, scheduler, monotonic },
      tell: this.#tell,
      tried: this.#tried,
      changed: () => this.#actSoon(),
    });
  }

  readonly #tell = (event: FleetEvent): void => this.#subscriber.next(event);
  readonly #trouble = (error: unknown): void => this.#tell({ kind: 'trouble', error });

  /** Tells if something fails. It is done again at another tick, if it is still needed. */
  readonly #tried = <T>(task$: Observable<T>): Observable<T> =>
    task$.pipe(
      tap({ error: this.#trouble }),
      catchError(() => EMPTY),
    );

  start(): void {
    const { identities$, lease, drain$, scheduler } = this.#config;
    const subscriber = this.#subscriber;
    subscriber.add(() => this.#leave().subscribe());
    const error = (error: unknown) => subscriber.error(error);
    this.#listen();
    const ticks$ = timer(0, lease / BEATS_PER_LEASE, scheduler);
    subscriber.add(ticks$.subscribe(() => this.#tick()));
    const next = (identities: ReadonlySet<string>) => {
      const isFirst = !this.#held.isWanting;
      this.#held.want(identities);
      if (isFirst) this.#tick();
    };
    subscriber.add(identities$.subscribe({ next, error }));
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

  #listen(): void {
    const { roster, random } = this.#config;
    this.#listening.unsubscribe();
    this.#members.listen();
    const entries$ = defer(() => {
      // Revisions begin again with a new bucket.
      this.#held.forgetClaims();
      this.#isReady = false;
      return roster.entries$;
    }).pipe(
      tap({ error: this.#trouble }),
      backoff({ testing: { random }, scheduler: this.#config.scheduler }),
    );
    this.#listening = entries$.subscribe(entry => this.#learn(entry));
  }

  /** A worker is there for the others once it knows what it is to follow, and who holds what. */
  get #isThere(): boolean {
    return this.#isReady && this.#held.isWanting && !this.#hasLeft;
  }

  #tick(): void {
    if (this.#hasLeft) return;
    const waiting = this.#config.waiting();
    if (this.#members.isDeaf) this.#listen();
    if (!this.#isThere) return;
    this.#beat(waiting);
    this.#held.tellFailure();
    for (const worker of this.#members.forgotten())
      this.#tried(this.#config.roster.leave(worker)).subscribe();
    this.#held.save().subscribe();
    this.#act();
  }

  #beat(waiting: number): void {
    if (this.#isBeating) return;
    const { name: worker, instance, capacity, roster } = this.#config;
    const beat = { worker, instance, capacity, ...this.#held.numbers, waiting };
    this.#isBeating = true;
    this.#tried(roster.beat(beat))
      .subscribe()
      .add(() => (this.#isBeating = false));
  }

  #learn(entry: RosterEntry): void {
    const { name, instance } = this.#config;
    if (entry.kind === 'ready') {
      this.#isReady = true;
      return this.#tick();
    }
    if (entry.kind === 'claim') {
      if (this.#held.learn(entry.claim, entry.revision)) this.#actSoon();
      return;
    }
    if (entry.kind === 'beat') {
      // The name is that of who was there before.
      this.#isNamesake = this.#isReady && entry.beat.worker === name && entry.beat.instance < instance;
      if (this.#isNamesake)
        return this.#subscriber.error(new InputError('name', 'a name that no other worker has', name));
      this.#tell({ kind: 'beat', beat: entry.beat });
    }
    const change =
      entry.kind === 'beat' ? this.#members.heard(entry, this.#isReady) : this.#members.left(entry.worker);
    if (!change) return;
    this.#tell({ kind: 'worker', ...change });
    this.#actSoon();
  }

  #actSoon(): void {
    if (this.#isActing || !this.#isThere) return;
    this.#isActing = true;
    this.#subscriber.add(this.#config.scheduler.schedule(() => this.#act()));
  }

  /** Claims and releases what has to be. */
  #act(): void {
    this.#isActing = false;
    if (!this.#isThere) return;
    for (const change of this.#members.judge()) this.#tell({ kind: 'worker', ...change });
    const { alive } = this.#members;
    const of = JSON.stringify(alive.map(({ worker, capacity }) => [worker, capacity]).sort());
    if (of !== this.#owners.of) this.#owners = { of, list: assignShards(this.#config.shards, alive) };
    const { name: me } = this.#config;
    const { claimOf, isStoring, isHeld } = this.#held;
    const { release, claim, isSettled } = claimSteps({
      ...{ me, owners: this.#owners.list },
      ...{ claimOf, isStoring, isHeld },
      mayTakeFrom: worker => this.#members.mayTakeFrom(worker),
    });
    this.#members.settled(isSettled);
    if (isSettled && !this.#hasShare && alive.some(({ worker }) => worker === me)) {
      this.#hasShare = true;
      this.#tell({ kind: 'ready' });
    }
    for (const shard of release) this.#held.release(shard).subscribe();
    for (const shard of claim) this.#held.claim(shard).subscribe();
  }

  /** Gives up everything, once. Completes when that is stored, or has failed. */
  #leave(): Observable<unknown> {
    if (this.#hasLeft) return EMPTY;
    this.#hasLeft = true;
    this.#listening.unsubscribe();
    const { roster, name } = this.#config;
    return merge(this.#held.releaseAll(), this.#isNamesake ? EMPTY : this.#tried(roster.leave(name)));
  }
}
