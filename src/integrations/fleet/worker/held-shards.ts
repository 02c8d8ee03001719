import { EMPTY, merge, of, tap, type Observable, type SchedulerLike, type TimestampProvider } from 'rxjs';
import { shardOf } from './assign-shards.js';
import { ClaimBook } from './claim-book.js';
import type { ClaimView } from './claim-steps.js';
import type { FleetEvent, Heartbeat } from '../fleet-event.js';
import type { Claim, FleetRoster, IdlePlaces } from './fleet-roster.js';
import { HeldShard, type ShardCounts, type WatchIdentity } from './held-shard.js';

/** What a worker needs to hold shards. */
export interface HeldShardsConfig {
  /** Of the worker. */
  readonly name: string;
  readonly shards: number;
  readonly roster: FleetRoster;
  readonly watch: WatchIdentity;
  readonly tell: (event: FleetEvent) => void;
  /** Tells if something fails, and completes. */
  readonly tried: <T>(task$: Observable<T>) => Observable<T>;
  /** A shard is lost: there may be something to claim. */
  readonly changed: () => void;
  readonly scheduler: SchedulerLike;
  readonly monotonic: TimestampProvider;
}

/** The shards that a worker holds, what it knows about the claims of all, and the identities that the fleet is to follow. */
export class HeldShards implements Pick<ClaimView, 'claimOf' | 'isStoring' | 'isHeld'> {
  readonly #config: HeldShardsConfig;
  readonly #claims: ClaimBook;
  readonly #held = new Map<number, HeldShard>();
  readonly #counts: ShardCounts = { live: 0, retrying: 0, events: 0, unstored: 0, failure: undefined };
  #wanted: ReadonlyMap<number, ReadonlySet<string>> | undefined;
  #isLeaving = false;

  constructor(config: HeldShardsConfig) {
    this.#config = config;
    this.#claims = new ClaimBook(config.roster);
  }

  /** Whether it is known which identities to follow. */
  get isWanting(): boolean {
    return this.#wanted !== undefined;
  }

  /** Follows these identities, as far as their shards are held. */
  want(identities: ReadonlySet<string>): void {
    const wanted = new Map<number, Set<string>>();
    for (const identity_id of identities) {
      const shard = shardOf(identity_id, this.#config.shards);
      wanted.set(shard, (wanted.get(shard) ?? new Set()).add(identity_id));
    }
    this.#wanted = wanted;
    for (const held of this.#held.values()) held.follow(this.#wantedIn(held.shard));
  }

  readonly claimOf = (shard: number): Claim | undefined => this.#claims.of(shard);
  readonly isStoring = (shard: number): boolean => this.#claims.isStoring(shard);
  readonly isHeld = (shard: number): boolean => this.#held.has(shard);

  /** What is known about claims may be of a bucket that does not exist any more. */
  forgetClaims(): void {
    this.#claims.forget();
  }

  /** A claim was heard. Returns whether it is news. */
  learn(claim: Claim, revision: number): boolean {
    const { shard, owner, epoch } = claim;
    if (!this.#claims.learn(claim, revision)) return false;
    const held = this.#held.get(shard);
    if (held && (owner !== this.#config.name || epoch !== held.epoch)) this.#lose(shard);
    return true;
  }

  /** Claims a shard, and follows its identities from where they are. */
  claim(shard: number): Observable<unknown> {
    const { name: owner, roster, tell } = this.#config;
    const from = this.claimOf(shard)?.owner;
    const claim = { shard, owner, epoch: this.#claims.nextEpoch(shard) };
    const claimed = (places: IdlePlaces) => {
      if (this.#isLeaving) return;
      const identities = this.#wantedIn(shard).size;
      tell({
        kind: 'claimed',
        ...{ shard, epoch: claim.epoch, identities },
        from: from === owner ? undefined : from,
      });
      this.#hold(claim, places);
    };
    return this.#config.tried(this.#claims.store(claim, roster.places(shard))).pipe(tap(claimed));
  }

  /** Gives up a shard. Places and claim are stored at once: a connection may be drained right after this. */
  release(shard: number): Observable<unknown> {
    const held = this.#held.get(shard);
    const epoch = held?.epoch ?? this.claimOf(shard)?.epoch ?? 0;
    const places$ = held ? this.#storePlaces(held) : EMPTY;
    this.#drop(shard);
    const claim$ = this.#store({ shard, owner: undefined, epoch });
    return merge(places$, claim$.pipe(tap(() => this.#config.tell({ kind: 'released', shard }))));
  }

  /** Gives up all shards, and claims no others. */
  releaseAll(): Observable<unknown> {
    this.#isLeaving = true;
    return merge(...[...this.#held.keys()].map(shard => this.release(shard)));
  }

  /** Saves idle places that have not been saved for a while, and claims that a new bucket does not have. */
  save(): Observable<unknown> {
    const { name: owner, monotonic } = this.#config;
    const saving: Observable<unknown>[] = [];
    for (const held of this.#held.values()) {
      const { shard, epoch } = held;
      if (held.isUnsaved(monotonic.now())) saving.push(this.#storePlaces(held));
      if (!this.claimOf(shard) && !this.isStoring(shard)) saving.push(this.#store({ shard, owner, epoch }));
    }
    return merge(...saving);
  }

  /** What a worker tells about what it holds. */
  get numbers(): Omit<Heartbeat, 'worker' | 'instance' | 'capacity' | 'waiting'> {
    const { live, retrying, events, unstored } = this.#counts;
    let identities = 0;
    for (const { size } of this.#held.values()) identities += size;
    return { shards: this.#held.size, identities, live, retrying, events, unstored };
  }

  /** Tells the last failure of a poll, as long as polls fail. */
  tellFailure(): void {
    const { failure, retrying } = this.#counts;
    if (retrying === 0) this.#counts.failure = undefined;
    else if (failure) this.#config.tell({ kind: 'retrying', ...failure, identities: retrying });
  }

  #wantedIn(shard: number): ReadonlySet<string> {
    return this.#wanted?.get(shard) ?? new Set();
  }

  #store(claim: Claim): Observable<unknown> {
    return this.#config.tried(this.#claims.store(claim, of(undefined)));
  }

  #hold(claim: Claim, places: IdlePlaces): void {
    const { shard } = claim;
    const { watch, tell, scheduler, monotonic } = this.#config;
    const superseded = (held: HeldShard, epoch: number) => {
      this.#claims.sawEpoch(shard, epoch);
      if (this.#held.get(shard) === held) this.#lose(shard);
      this.#config.changed();
    };
    const held = new HeldShard(
      claim,
      places,
      monotonic.now(),
      { watch, tell, superseded, scheduler },
      this.#counts,
    );
    this.#held.set(shard, held);
    held.follow(this.#wantedIn(shard));
  }

  #storePlaces(held: HeldShard): Observable<unknown> {
    const { roster, monotonic } = this.#config;
    return this.#config.tried(roster.storePlaces(held.shard, held.save(monotonic.now())));
  }

  #lose(shard: number): void {
    this.#drop(shard);
    this.#config.tell({ kind: 'lost', shard, to: this.claimOf(shard)?.owner });
  }

  #drop(shard: number): void {
    this.#held.get(shard)?.stop();
    this.#held.delete(shard);
  }
}
