import { retry, Subscription, throwError, timer, type Observable, type SchedulerLike } from 'rxjs';
import type { FleetEvent } from '../fleet-event.js';
import type { BareCheckpoint, BareCheckpoints } from './fleet-registry.js';
import { Superseded, type StoredWatchConfig, type StoredWatchEvent } from './stored-watch.js';

/** So many bare checkpoints of a shard are stored. A service of more identities than that a shard should have more shards. */
const MAX_BARE_CHECKPOINTS = 5_000;

/** How old saved bare checkpoints may become, in ms: much less than the service keeps events. */
const SAVE_AFTER_MS = 60_000;

/** An older place is of no use, in ms: the service has long forgotten it. */
const MAX_AGE_MS = 3_600_000;

/** When the service refuses to answer for an identity, it is asked again after this time, in ms. */
const ASK_AGAIN_MS = 60_000;

/** Follows one identity. */
export type WatchIdentity = (
  identity_id: string,
  held: Pick<StoredWatchConfig, 'epoch' | 'idle' | 'onBareCheckpoint' | 'onUnstored'>,
) => Observable<StoredWatchEvent>;

/** What a shard needs of the worker that holds it. */
export interface ShardOwner {
  readonly watch: WatchIdentity;
  readonly emit: (event: FleetEvent) => void;
  /** A later epoch has been seen than that of the shard. */
  readonly superseded: (shard: OwnedShard, epoch: number) => void;
  /** An identity has been polled for the first time, or is not to be polled any more. */
  readonly polled: () => void;
  readonly scheduler: SchedulerLike;
}

/** What a worker has done with all of its shards. */
export interface ShardCounts {
  /** Those that have not been polled yet. */
  starting: number;
  live: number;
  retrying: number;
  rejected: number;
  events: number;
  unstored: number;
  /** The last poll that has failed. */
  failure: { readonly identity_id: string; readonly error: unknown } | undefined;
  /** What NATS has last failed to do, and for whom it has failed. */
  unanswered: { readonly error: unknown; readonly identities: Set<string> } | undefined;
}

/** How an identity is counted. */
type Counted = 'starting' | 'live' | 'retrying' | 'rejected';

/** A shard that this worker holds: the watches of its identities, and where those without news are. */
export class OwnedShard {
  readonly shard: number;
  readonly epoch: number;
  readonly #holder: ShardOwner;
  readonly #counts: ShardCounts;
  readonly #checkpoints: Map<string, BareCheckpoint>;
  readonly #watches = new Map<string, Subscription>();
  readonly #following = new Subscription();
  /** When the bare checkpoints were saved, in ms of the worker's clock. */
  #savedAt: number;
  #hasChanged = false;

  constructor(
    { shard, epoch }: { readonly shard: number; readonly epoch: number },
    places: BareCheckpoints,
    savedAt: number,
    holder: ShardOwner,
    counts: ShardCounts,
  ) {
    this.shard = shard;
    this.epoch = epoch;
    this.#savedAt = savedAt;
    this.#holder = holder;
    this.#counts = counts;
    this.#checkpoints = new Map(Object.entries(places));
  }

  /** How many identities it follows. */
  get size(): number {
    return this.#watches.size;
  }

  /** Whether there are bare checkpoints that have not been saved for a while. */
  isUnsaved(now: number): boolean {
    return this.#hasChanged && now - this.#savedAt >= SAVE_AFTER_MS;
  }

  /** The places to be saved. */
  save(now: number): BareCheckpoints {
    this.#savedAt = now;
    this.#hasChanged = false;
    const oldest = this.#holder.scheduler.now() - MAX_AGE_MS;
    for (const [identity_id, { at }] of this.#checkpoints)
      if (at < oldest) this.#checkpoints.delete(identity_id);
    return Object.fromEntries([...this.#checkpoints].slice(-MAX_BARE_CHECKPOINTS));
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
    // Oldest first: the service keeps its events for five minutes.
    const at = (identity_id: string) => this.#checkpoints.get(identity_id)?.at ?? 0;
    const added = [...wanted].filter(identity_id => !this.#watches.has(identity_id));
    for (const identity_id of added.sort((a, b) => at(a) - at(b)))
      this.#watches.set(identity_id, this.#watch(identity_id));
  }

  #watch(identity_id: string): Subscription {
    const { watch, emit, superseded, polled, scheduler } = this.#holder;
    const counts = this.#counts;
    let counted: Counted | undefined = 'starting';
    let state: Counted | undefined = 'starting';
    let isUnstored = false;
    counts.starting++;
    const count = (next = state) => {
      state = next;
      if (counted) counts[counted]--;
      const hasStarted = counted === 'starting' && state !== 'starting';
      counted = state === 'live' && isUnstored ? undefined : state;
      if (counted) counts[counted]++;
      if (hasStarted) polled();
    };
    const askAgain = (error: unknown) => {
      if (error instanceof Superseded) return throwError(() => error);
      count('rejected');
      emit({ kind: 'identity_rejected', identity_id, error, retryIn: ASK_AGAIN_MS });
      return timer(ASK_AGAIN_MS, scheduler);
    };
    const next = (event: StoredWatchEvent) => {
      if (event.kind === 'status') {
        const { state: current, error } = event.status;
        if (current === 'live') count('live');
        else if (current === 'retrying' || current === 'offline') count('retrying');
        if (error !== undefined) counts.failure = { identity_id, error };
      }
      if (event.kind === 'nats_error') {
        const { identities = new Set<string>() } = counts.unanswered ?? {};
        counts.unanswered = { error: event.error, identities: identities.add(identity_id) };
      }
      if (event.kind === 'conflict') emit({ kind: 'conflict', identity_id });
      if (event.kind !== 'stored') return;
      counts.events += event.events;
      this.#moved(identity_id, undefined);
      if (event.gap) emit({ kind: 'gap', identity_id, gap: event.gap });
    };
    const watching = watch(identity_id, {
      epoch: this.epoch,
      idle: this.#checkpoints.get(identity_id),
      onBareCheckpoint: place => this.#moved(identity_id, place),
      onUnstored: change => {
        counts.unstored += change;
        isUnstored = change > 0;
        count();
      },
    })
      .pipe(retry({ delay: askAgain }))
      .subscribe({ next, error: (error: unknown) => superseded(this, (error as Superseded).epoch) });
    watching.add(() => {
      state = undefined;
      count();
    });
    return watching;
  }

  /** An identity has nothing new up to this place, or, without one, has something new. */
  #moved(identity_id: string, place: BareCheckpoint | undefined): void {
    // The latest ones are kept.
    this.#checkpoints.delete(identity_id);
    if (place) this.#checkpoints.set(identity_id, place);
    this.#hasChanged = true;
  }
}
