import {
  retry,
  Subscription,
  timer,
  type Observable,
  type SchedulerLike,
  type TimestampProvider,
} from 'rxjs';
import type { FleetEvent } from '../fleet-event.js';
import type { BareCheckpoint, BareCheckpoints } from './fleet-registry.js';
import type { StoredWatchConfig, StoredWatchEvent } from './stored-watch.js';

/**
 * So many bare checkpoints of a shard are stored. A service of more identities than that a shard
 * should have more shards.
 */
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
  held: Pick<StoredWatchConfig, 'idle' | 'onBareCheckpoint' | 'onUnstored'>,
) => Observable<StoredWatchEvent>;

/** What a shard needs of the worker that holds it. */
export interface ShardOwner {
  readonly watch: WatchIdentity;
  readonly emit: (event: FleetEvent) => void;
  /** An identity has been polled for the first time, or is not to be polled any more. */
  readonly polled: () => void;
  readonly scheduler: SchedulerLike;
  readonly monotonic: TimestampProvider;
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

/** How an identity that is followed is. */
class IdentityState {
  readonly #counts: ShardCounts;
  #state: Counted | undefined = 'starting';
  #counted: Counted | undefined = 'starting';
  #isUnstored = false;
  /** When the last poll that was sent is over, on the monotonic clock. */
  #polledUntil = Infinity;

  constructor(counts: ShardCounts) {
    this.#counts = counts;
    counts.starting++;
  }

  /**
   * Returns whether it has been polled now, or is not to be polled any more, and had not been
   * before.
   */
  become(state: Counted | undefined, now: number): boolean {
    this.#state = state;
    return this.count(now);
  }

  /** A poll is sent. */
  polled(until: number, now: number): void {
    this.#polledUntil = until;
    this.count(now);
  }

  /** NATS has not stored an answer of it yet, or has. */
  unstored(change: 1 | -1, now: number): void {
    this.#counts.unstored += change;
    this.#isUnstored = change > 0;
    this.count(now);
  }

  /** It is live only if NATS has stored all that it has said, and a poll may be held. */
  count(now: number): boolean {
    const before = this.#counted;
    const isLive = !this.#isUnstored && now <= this.#polledUntil;
    this.#counted = this.#state === 'live' && !isLive ? undefined : this.#state;
    if (before) this.#counts[before]--;
    if (this.#counted) this.#counts[this.#counted]++;
    return before === 'starting' && this.#counted !== 'starting';
  }
}

/** An identity that is followed. */
interface Followed {
  readonly watching: Subscription;
  readonly state: IdentityState;
}

/**
 * A shard that this worker holds: the watches of its identities, and where those without news are.
 */
export class OwnedShard {
  readonly shard: number;
  readonly #holder: ShardOwner;
  readonly #counts: ShardCounts;
  readonly #checkpoints: Map<string, BareCheckpoint>;
  readonly #watches = new Map<string, Followed>();
  readonly #following = new Subscription();
  /** When the bare checkpoints were saved, in ms of the worker's clock. */
  #savedAt: number;
  #hasChanged = false;

  constructor(
    shard: number,
    places: BareCheckpoints,
    savedAt: number,
    holder: ShardOwner,
    counts: ShardCounts,
  ) {
    this.shard = shard;
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
    for (const [identity_id, { since }] of this.#checkpoints)
      if (since < now - MAX_AGE_MS) this.#checkpoints.delete(identity_id);
    return Object.fromEntries([...this.#checkpoints].slice(-MAX_BARE_CHECKPOINTS));
  }

  /** Follows the identities that were emitted last, and no others. */
  follow(identities$: Observable<ReadonlySet<string>>, failed: (error: unknown) => void): void {
    this.#following.add(identities$.subscribe({ next: wanted => this.#follow(wanted), error: failed }));
  }

  /** Counts those as live whose poll may be held now. */
  count(): void {
    const now = this.#holder.monotonic.now();
    for (const { state } of this.#watches.values()) state.count(now);
  }

  /** Ends all of its watches. */
  stop(): void {
    this.#following.unsubscribe();
    for (const { watching } of this.#watches.values()) watching.unsubscribe();
    this.#watches.clear();
  }

  #follow(wanted: ReadonlySet<string>): void {
    for (const [identity_id, { watching }] of this.#watches) {
      if (wanted.has(identity_id)) continue;
      // Its place is kept: it may be wanted again in a moment.
      watching.unsubscribe();
      this.#watches.delete(identity_id);
    }
    // Oldest first: the service keeps its events for five minutes.
    const since = (identity_id: string) => this.#checkpoints.get(identity_id)?.since ?? -Number.MAX_VALUE;
    const added = [...wanted].filter(identity_id => !this.#watches.has(identity_id));
    for (const identity_id of added.sort((a, b) => since(a) - since(b)))
      this.#watches.set(identity_id, this.#watch(identity_id));
  }

  #watch(identity_id: string): Followed {
    const { watch, emit, polled, scheduler, monotonic } = this.#holder;
    const counts = this.#counts;
    const state = new IdentityState(counts);
    const become = (next: Counted | undefined) => {
      if (state.become(next, monotonic.now())) polled();
    };
    const askAgain = (error: unknown) => {
      become('rejected');
      emit({ kind: 'identity_rejected', identity_id, error, retryIn: ASK_AGAIN_MS });
      return timer(ASK_AGAIN_MS, scheduler);
    };
    const next = (event: StoredWatchEvent) => {
      if (event.kind === 'status') {
        const { state: current, error } = event.status;
        if (current === 'live') become('live');
        else if (current === 'retrying' || current === 'offline') become('retrying');
        if (error !== undefined) counts.failure = { identity_id, error };
      }
      if (event.kind === 'polled') {
        const now = monotonic.now();
        state.polled(now + event.timeout, now);
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
      idle: this.#checkpoints.get(identity_id),
      onBareCheckpoint: place => this.#moved(identity_id, place),
      onUnstored: change => state.unstored(change, monotonic.now()),
    })
      .pipe(retry({ delay: askAgain }))
      .subscribe(next);
    watching.add(() => become(undefined));
    return { watching, state };
  }

  /** An identity has nothing new up to this place, or, without one, has something new. */
  #moved(identity_id: string, place: BareCheckpoint | undefined): void {
    // The latest ones are kept.
    this.#checkpoints.delete(identity_id);
    if (place) this.#checkpoints.set(identity_id, place);
    this.#hasChanged = true;
  }
}
