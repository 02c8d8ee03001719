import {
  concat,
  concatMap,
  defer,
  EMPTY,
  forkJoin,
  ignoreElements,
  merge,
  of,
  tap,
  timer,
  type Observable,
  type SchedulerLike,
  type TimestampProvider,
} from 'rxjs';
import type { Participant } from './assign-shards.js';
import { NO_SHARES, type FleetRegistry, type Shares, type StoredShares } from './fleet-registry.js';
import { Calm, judge, sharesWithout } from './judge.js';

/** Who leads for the first time waits so long, in ms: the first worker of a fleet would get all shards, and give away most of them. */
const FIRST = 1_000;

interface LeadConfig {
  readonly me: Participant;
  readonly registry: FleetRegistry;
  readonly shards: number;
  readonly lease: number;
  readonly scheduler: SchedulerLike;
  readonly monotonic: TimestampProvider;
}

/**
 * Learns who has which shard; if no other worker leads the fleet, by deciding it. Each look finds the same as the one before it or what is
 * newer, so that nothing is lost if one fails, or if there are two leaders for a moment: what one stores is refused if the other has stored.
 */
export class Lead {
  readonly #config: LeadConfig;
  readonly #calm: Calm;
  #known: StoredShares = { revision: 0, shares: NO_SHARES };
  #isDoubtful = false;
  #hasWaited = false;

  constructor(config: LeadConfig) {
    const { lease, monotonic } = config;
    this.#config = config;
    this.#calm = new Calm(lease, monotonic.now());
  }

  /** NATS has answered what was sent at a time of the monotonic clock. */
  answered(sentAt: number): void {
    this.#calm.answered(sentAt);
  }

  /** How long NATS has not answered, in ms. */
  get silence(): number {
    return this.#calm.silence(this.#config.monotonic.now());
  }

  /** What is known may be out of date, although no leader has said so. */
  doubt(): void {
    this.#isDoubtful = true;
  }

  /** Emits the shares, and completes. */
  look(): Observable<Shares> {
    const { registry } = this.#config;
    const looked$ = defer(() => registry.lead(this.#known.shares.epoch)).pipe(
      concatMap(({ isMine, epoch }): Observable<unknown> => {
        if (isMine)
          return concat(
            this.#waitForOthers(),
            defer(() => this.#decide()),
          );
        return epoch === this.#known.shares.epoch && !this.#isDoubtful ? EMPTY : this.#read();
      }),
    );
    return concat(
      looked$.pipe(ignoreElements()),
      defer(() => of(this.#known.shares)),
    );
  }

  /** Leaves its shards to the others, at once: all that takes is sent in one go. */
  leave(): Observable<unknown> {
    const { me, registry, scheduler } = this.#config;
    const { shares, revision } = this.#known;
    const others = sharesWithout(me.worker, shares, scheduler.now());
    const stored$ = others && revision > 0 ? registry.store(others, revision) : EMPTY;
    return merge(stored$, registry.leave(me));
  }

  #read(): Observable<unknown> {
    return this.#config.registry.read().pipe(
      tap(stored => {
        this.#known = stored;
        this.#isDoubtful = false;
      }),
    );
  }

  /** For workers that start with the first one. */
  #waitForOthers(): Observable<never> {
    if (this.#hasWaited || this.#known.revision > 0) return EMPTY;
    this.#hasWaited = true;
    const { lease, scheduler } = this.#config;
    return timer(Math.min(FIRST, lease / 4), scheduler).pipe(ignoreElements());
  }

  #decide(): Observable<unknown> {
    const { registry, shards, scheduler, monotonic } = this.#config;
    const { epoch } = this.#known.shares;
    const decided$ = forkJoin([this.#read(), registry.alive()]).pipe(
      concatMap(([, { workers: alive, list }]) => {
        const now = monotonic.now();
        this.#calm.found(alive, list, now);
        const isSilent = (worker: string) => this.#calm.isSilent(worker, now);
        const before = this.#known.shares;
        const next = judge({ shards, before, alive, isSilent, now: scheduler.now() });
        return next ? this.#store(next) : EMPTY;
      }),
    );
    const announced$ = defer(() => {
      const { shares } = this.#known;
      return shares.epoch === epoch ? EMPTY : registry.announce(shares.epoch);
    });
    return concat(decided$, announced$);
  }

  #store(shares: Shares): Observable<unknown> {
    return this.#config.registry.store(shares, this.#known.revision).pipe(
      tap(revision => {
        // Otherwise another worker has stored, which the next look finds.
        if (revision !== undefined) this.#known = { revision, shares };
      }),
    );
  }
}
