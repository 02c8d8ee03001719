import {
  EMPTY,
  catchError,
  defer,
  Observable,
  Subscription,
  timer,
  type SchedulerLike,
  type Subscriber,
  type TimestampProvider,
} from 'rxjs';
import { InputError } from '../../error/index.js';
import { backoff } from '../../stream/index.js';
import { ClaimBook } from './claim-book.js';
import type { FleetEvent } from '../fleet-event.js';
import type { Claim, FleetRoster, RosterEntry } from './fleet-roster.js';
import type { HeldShard, WatchIdentity } from './held-shard.js';
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
  readonly watch: WatchIdentity;
  /** Called at each tick. Returns how many polls wait for the rate limit. */
  readonly waiting: () => number;
  readonly random: () => number;
  readonly scheduler: SchedulerLike;
  readonly monotonic: TimestampProvider;
}

/**
 * One of the workers that share a fleet's shards. It claims what it is assigned, follows the identities in it, and releases what
 * it is no longer assigned. Unsubscribing releases everything at once.
 */
export function fleetWorker(config: FleetWorkerConfig): Observable<FleetEvent> {
  return new Observable(subscriber => new FleetWorker(config, subscriber).start());
}

class FleetWorker {
  readonly #config: FleetWorkerConfig;
  readonly #subscriber: Subscriber<FleetEvent>;
  readonly #members: Membership;
  readonly #claims: ClaimBook;
  readonly #held: HeldShards;
  #owners: { readonly of: string; readonly list: readonly string[] } = { of: '', list: [] };
  #isReady = false;
  #isActing = false;
  #isBeating = false;
  #isNamesake = false;
  #listening = new Subscription();

  constructor(config: FleetWorkerConfig, subscriber: Subscriber<FleetEvent>) {
    const { name, lease, shards, monotonic, roster, watch, scheduler } = config;
    this.#config = config;
    this.#subscriber = subscriber;
    this.#members = new Membership(name, lease, monotonic);
    this.#claims = new ClaimBook(roster);
    this.#held = new HeldShards(shards, { watch, scheduler, tell: this.tell, superseded: this.superseded });
  }

  readonly tell = (event: FleetEvent): void => this.#subscriber.next(event);

  readonly superseded = (held: HeldShard, epoch: number): void => {
    this.#claims.sawEpoch(held.shard, epoch);
    if (this.#held.get(held.shard) === held) this.#lose(held.shard);
    this.#actSoon();
  };

  start(): void {
    const { identities$, lease } = this.#config;
    const subscriber = this.#subscriber;
    subscriber.add(() => this.#leave());
    this.#listen();
    const ticks$ = timer(0, lease / BEATS_PER_LEASE, this.#config.scheduler);
    subscriber.add(ticks$.subscribe(() => this.#tick()));
    const next = (identities: ReadonlySet<string>) => {
      const isFirst = !this.#held.isWanting;
      this.#held.want(identities);
      if (isFirst) this.#tick();
    };
    subscriber.add(identities$.subscribe({ next, error: (error: unknown) => subscriber.error(error) }));
  }

  #listen(): void {
    const { roster, random } = this.#config;
    this.#listening.unsubscribe();
    this.#members.listen();
    const entries$ = defer(() => {
      // Revisions begin again with a new bucket.
      this.#claims.forget();
      this.#isReady = false;
      return this.#telling(roster.entries$);
    }).pipe(backoff({ random, scheduler: this.#config.scheduler }));
    this.#listening = entries$.subscribe(entry => this.#learn(entry));
  }

  /** A worker is there for the others once it knows what it is to follow, and who holds what. */
  get #isThere(): boolean {
    return this.#isReady && this.#held.isWanting && !this.#subscriber.closed;
  }

  #tick(): void {
    const waiting = this.#config.waiting();
    if (this.#members.isDeaf) this.#listen();
    if (!this.#isThere) return;
    this.#beat(waiting);
    this.#held.tellFailure();
    for (const worker of this.#members.forgotten()) this.#try(this.#config.roster.leave(worker));
    this.#save();
    this.#act();
  }

  #beat(waiting: number): void {
    if (this.#isBeating) return;
    const { name: worker, instance, capacity, roster } = this.#config;
    const beat = { worker, instance, capacity, ...this.#held.numbers, waiting };
    this.#isBeating = true;
    this.#try(roster.beat(beat)).add(() => (this.#isBeating = false));
  }

  #learn(entry: RosterEntry): void {
    const { name, instance } = this.#config;
    if (entry.kind === 'ready') {
      this.#isReady = true;
      return this.#tick();
    }
    if (entry.kind === 'claim') {
      const { shard, owner, epoch } = entry.claim;
      if (!this.#claims.learn(entry.claim, entry.revision)) return;
      const held = this.#held.get(shard);
      if (held && (owner !== name || epoch !== held.epoch)) this.#lose(shard);
      return this.#actSoon();
    }
    if (entry.kind === 'beat') {
      // The name is that of who was there before.
      this.#isNamesake = this.#isReady && entry.beat.worker === name && entry.beat.instance < instance;
      if (this.#isNamesake)
        return this.#subscriber.error(new InputError('name', 'a name that no other worker has', name));
      this.tell({ kind: 'beat', beat: entry.beat });
    }
    const change =
      entry.kind === 'beat' ? this.#members.heard(entry, this.#isReady) : this.#members.left(entry.worker);
    if (!change) return;
    this.tell({ kind: 'worker', ...change });
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
    for (const change of this.#members.judge()) this.tell({ kind: 'worker', ...change });
    const { alive } = this.#members;
    const of = JSON.stringify(alive.map(({ worker, capacity }) => [worker, capacity]).sort());
    if (of !== this.#owners.of) this.#owners = { of, list: assignShards(this.#config.shards, alive) };
    const { release, claim, isSettled } = claimSteps({
      ...{ me: this.#config.name, owners: this.#owners.list },
      claimOf: shard => this.#claims.of(shard),
      isStoring: shard => this.#claims.isStoring(shard),
      isHeld: shard => this.#held.has(shard),
      mayTakeFrom: worker => this.#members.mayTakeFrom(worker),
    });
    this.#members.settled(isSettled);
    for (const shard of release) this.#release(shard);
    for (const shard of claim) this.#claim(shard);
  }

  #claim(shard: number): void {
    const { name: owner, monotonic } = this.#config;
    const { owner: from, idle = {} } = this.#claims.of(shard) ?? {};
    this.#store({ shard, owner, epoch: this.#claims.nextEpoch(shard), idle }, claim => {
      const identities = this.#held.wantedIn(shard).size;
      const { epoch } = claim;
      this.tell({ kind: 'claimed', shard, epoch, identities, from: from === owner ? undefined : from });
      this.#held.hold(claim, monotonic.now());
    });
  }

  #release(shard: number): void {
    const held = this.#held.drop(shard);
    const claimed = this.#claims.of(shard);
    const epoch = held?.epoch ?? claimed?.epoch ?? 0;
    const idle = held?.save(this.#config.monotonic.now()) ?? claimed?.idle ?? {};
    this.#store({ shard, owner: undefined, epoch, idle }, () => this.tell({ kind: 'released', shard }));
  }

  /** Saves idle places that have not been saved for a while, and claims that a new bucket does not have. */
  #save(): void {
    const { name: owner, monotonic } = this.#config;
    const now = monotonic.now();
    for (const held of this.#held.values()) {
      const { shard, epoch } = held;
      const isDue = held.isUnsaved(now) || !this.#claims.of(shard);
      if (isDue && !this.#claims.isStoring(shard)) this.#store({ shard, owner, epoch, idle: held.save(now) });
    }
  }

  #store(claim: Claim, done?: (claim: Claim) => void): void {
    this.#try(this.#claims.store(claim), () => {
      if (!this.#subscriber.closed) done?.(claim);
    });
  }

  #lose(shard: number): void {
    this.#held.drop(shard);
    this.tell({ kind: 'lost', shard, to: this.#claims.of(shard)?.owner });
  }

  #leave(): void {
    this.#listening.unsubscribe();
    for (const shard of this.#held.keys()) this.#release(shard);
    if (!this.#isNamesake) this.#try(this.#config.roster.leave(this.#config.name));
  }

  /** Does something, and tells if it fails. It is done again at another tick, if it is still needed. */
  #try<T>(task$: Observable<T>, done?: (value: T) => void): Subscription {
    return this.#telling(task$)
      .pipe(catchError(() => EMPTY))
      .subscribe(done);
  }

  #telling<T>(task$: Observable<T>): Observable<T> {
    return task$.pipe(
      catchError((error: unknown) => {
        this.tell({ kind: 'trouble', error });
        throw error;
      }),
    );
  }
}
