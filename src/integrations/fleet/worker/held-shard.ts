import { retry, Subscription, throwError, timer, type Observable, type SchedulerLike } from 'rxjs';
import type { FleetEvent } from '../fleet-event.js';
import type { IdlePlace, IdlePlaces } from './fleet-registry.js';
import type { WatchStatus } from '../../../stream/index.js';
import { Superseded, type StoredWatchConfig, type StoredWatchEvent } from './stored-watch.js';

/** So many idle places of a shard are stored. A service of more identities than that a shard should have more shards. */
const MAX_IDLE = 5_000;

/** How old saved idle places may become, in ms: much less than the service keeps events. */
const SAVE_AFTER = 60_000;

/** An older place is of no use, in ms: the service has long forgotten it. */
const MAX_AGE = 3_600_000;

/** When the service refuses to answer for an identity, it is asked again after this time, in ms. */
const ASK_AGAIN = 60_000;

/** Follows one identity. */
export type WatchIdentity = (
  identity_id: string,
  held: Pick<StoredWatchConfig, 'epoch' | 'idle' | 'onIdle' | 'onUnstored'>,
) => Observable<StoredWatchEvent>;

/** What a shard needs of the worker that holds it. */
export interface ShardHolder {
  readonly watch: WatchIdentity;
  readonly tell: (event: FleetEvent) => void;
  /** A later epoch has been seen than that of the shard. */
  readonly superseded: (shard: HeldShard, epoch: number) => void;
  readonly scheduler: SchedulerLike;
}

/** What a worker has done with all of its shards. */
export interface ShardCounts {
  live: number;
  retrying: number;
  events: number;
  unstored: number;
  /** The last poll that has failed. */
  failure: { readonly identity_id: string; readonly error: unknown } | undefined;
}

/** A shard that this worker holds: the watches of its identities, and where those without news are. */
export class HeldShard {
  readonly shard: number;
  readonly epoch: number;
  readonly #holder: ShardHolder;
  readonly #counts: ShardCounts;
  readonly #places: Map<string, IdlePlace>;
  readonly #watches = new Map<string, Subscription>();
  readonly #following = new Subscription();
  /** When the idle places were saved, in ms of the worker's clock. */
  #savedAt: number;
  #hasChanged = false;

  constructor(
    { shard, epoch }: { readonly shard: number; readonly epoch: number },
    places: IdlePlaces,
    savedAt: number,
    holder: ShardHolder,
    counts: ShardCounts,
  ) {
    this.shard = shard;
    this.epoch = epoch;
    this.#savedAt = savedAt;
    this.#holder = holder;
    this.#counts = counts;
    this.#places = new Map(Object.entries(places));
  }

  /** How many identities it follows. */
  get size(): number {
    return this.#watches.size;
  }

  /** Whether there are idle places that have not been saved for a while. */
  isUnsaved(now: number): boolean {
    return this.#hasChanged && now - this.#savedAt >= SAVE_AFTER;
  }

  /** The places to be saved. */
  save(now: number): IdlePlaces {
    this.#savedAt = now;
    this.#hasChanged = false;
    const oldest = this.#holder.scheduler.now() - MAX_AGE;
    for (const [identity_id, { at }] of this.#places) if (at < oldest) this.#places.delete(identity_id);
    return Object.fromEntries([...this.#places].slice(-MAX_IDLE));
  }

  /** Follows the identities that were emitted last, and no others. */
  follow(identities$: Observable<ReadonlySet<string>>, failed: (error: unknown) => void): void {
    this.#following.add(identities$.subscribe({ next: wanted => this.#follow(wanted), error: failed }));
  }

  /** Ends all of its watches. */
  stop(): void {
    this.#following.unsubscribe();
    for (const watching of this.#watches.values()) watching.unsubscribe();
    this.#watches.clear();
  }

  #follow(wanted: ReadonlySet<string>): void {
    for (const [identity_id, watching] of this.#watches) {
      if (wanted.has(identity_id)) continue;
      // Its place is kept: it may be wanted again in a moment.
      watching.unsubscribe();
      this.#watches.delete(identity_id);
    }
    for (const identity_id of wanted) {
      if (!this.#watches.has(identity_id)) this.#watches.set(identity_id, this.#watch(identity_id));
    }
  }

  #watch(identity_id: string): Subscription {
    const { watch, tell, superseded, scheduler } = this.#holder;
    const counts = this.#counts;
    let counted: 'live' | 'retrying' | undefined;
    const count = (state?: WatchStatus['state']) => {
      if (counted) counts[counted]--;
      counted =
        state === 'live' ? 'live' : state === 'retrying' || state === 'offline' ? 'retrying' : undefined;
      if (counted) counts[counted]++;
    };
    const askAgain = (error: unknown) => {
      if (error instanceof Superseded) return throwError(() => error);
      tell({ kind: 'failed', identity_id, error, retryIn: ASK_AGAIN });
      return timer(ASK_AGAIN, scheduler);
    };
    const next = (event: StoredWatchEvent) => {
      if (event.kind === 'status') {
        const { state, error } = event.status;
        count(state);
        if (error !== undefined) counts.failure = { identity_id, error };
      }
      if (event.kind === 'trouble') tell(event);
      if (event.kind === 'refused') tell({ kind: 'refused', identity_id });
      if (event.kind !== 'stored') return;
      counts.events += event.events;
      this.#moved(identity_id, undefined);
      if (event.gap) tell({ kind: 'gap', identity_id, gap: event.gap });
    };
    const watching = watch(identity_id, {
      epoch: this.epoch,
      idle: this.#places.get(identity_id),
      onIdle: place => this.#moved(identity_id, place),
      onUnstored: change => (counts.unstored += change),
    })
      .pipe(retry({ delay: askAgain }))
      .subscribe({ next, error: (error: unknown) => superseded(this, (error as Superseded).epoch) });
    watching.add(() => count());
    return watching;
  }

  /** An identity has nothing new up to this place, or, without one, has something new. */
  #moved(identity_id: string, place: IdlePlace | undefined): void {
    // The latest ones are kept.
    this.#places.delete(identity_id);
    if (place) this.#places.set(identity_id, place);
    this.#hasChanged = true;
  }
}
