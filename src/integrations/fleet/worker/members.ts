import { concat, concatMap, defer, EMPTY, ignoreElements, of, timer, type Observable } from 'rxjs';
import type { SchedulerLike, TimestampProvider } from 'rxjs';
import { assignShards, type Participant } from './assign-shards.js';
import { NO_SHARES, type FleetRegistry, type Presence, type Shares } from './fleet-registry.js';

/**
 * A worker that finds no other waits so long, in ms: the first one of a fleet would get all shards,
 * and give away most of them.
 */
const FIRST = 1_000;

/**
 * So many leases after NATS was away, or has lost the beats of workers, all that are alive have
 * sent one again.
 */
const CALM_LEASES = 1.5;

interface MembersConfig {
  readonly me: Participant;
  /** Called with all who are alive whenever they are read. */
  readonly seen: (present: readonly Presence[]) => void;
  readonly registry: FleetRegistry;
  readonly shards: number;
  readonly lease: number;
  readonly scheduler: SchedulerLike;
  readonly monotonic: TimestampProvider;
}

/**
 * Learns who is alive. Who has which shard follows from that alone. For a moment, two workers may
 * know different things: then both poll, and one of two appends is refused.
 *
 * After an outage, no worker seems to be alive until its next beat: until then, only those are
 * taken for silent whom this worker itself has found alive since.
 */
export class Members {
  readonly #config: MembersConfig;
  readonly #found = new Set<string>();
  readonly #left = new Set<string>();
  #known = NO_SHARES;
  #calmSince: number;
  #answeredAt = -Infinity;
  #list = 0;
  #hasWaited = false;

  constructor(config: MembersConfig) {
    this.#config = config;
    this.#calmSince = config.monotonic.now();
  }

  /** NATS has answered what was sent at a time of the monotonic clock. */
  answered(sentAt: number): void {
    if (sentAt - this.#answeredAt > this.#config.lease) this.#forget(sentAt);
    this.#answeredAt = sentAt;
  }

  /** A worker has said that it leaves. */
  leaving(worker: string): void {
    if (this.#known.workers.some(known => known.worker === worker)) this.#left.add(worker);
  }

  /**
   * Emits the shares, and completes. If they have changed, others are told to look, unless it was
   * they who told.
   */
  look(isTold: boolean): Observable<Shares> {
    const { registry, me, seen, lease, scheduler } = this.#config;
    return registry.alive().pipe(
      concatMap(({ workers, list }): Observable<Shares> => {
        seen(workers);
        const isAlone = !this.#hasWaited && workers.every(({ worker }) => worker === me.worker);
        this.#hasWaited = true;
        if (isAlone) {
          const waited$ = timer(Math.min(FIRST, lease / 4), scheduler).pipe(ignoreElements());
          return concat(
            waited$,
            defer(() => this.look(isTold)),
          );
        }
        const before = this.#known;
        this.#judge(workers, list);
        const announced$ = before === this.#known || isTold ? EMPTY : registry.announce();
        return concat(of(this.#known), announced$.pipe(ignoreElements()));
      }),
    );
  }

  #judge(alive: readonly Participant[], list: number): void {
    const { me, monotonic, shards, lease } = this.#config;
    const now = monotonic.now();
    if (list !== this.#list) this.#forget(now);
    this.#list = list;
    const isCalm = now - this.#calmSince > CALM_LEASES * lease;
    const capacities = new Map(alive.map(({ worker, capacity }) => [worker, capacity]));
    // It is alive, whoever has not heard it in time: if others have taken its shards, its appends
    // are refused.
    if (this.#known.workers.some(({ worker }) => worker === me.worker))
      capacities.set(me.worker, me.capacity);
    for (const worker of capacities.keys()) this.#found.add(worker);
    const silent: string[] = [];
    for (const { worker, capacity } of this.#known.workers) {
      if (capacities.has(worker) || this.#left.delete(worker)) continue;
      if (isCalm || this.#found.has(worker)) silent.push(worker);
      else capacities.set(worker, capacity);
    }
    const workers = Array.from(capacities, ([worker, capacity]) => ({ worker, capacity }));
    workers.sort((a, b) => (a.worker < b.worker ? -1 : 1));
    if (JSON.stringify(workers) === JSON.stringify(this.#known.workers)) return;
    this.#known = { workers, silent, owners: assignShards(shards, workers) };
  }

  #forget(now: number): void {
    this.#calmSince = now;
    this.#found.clear();
  }
}
