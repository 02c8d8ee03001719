import { assignShards, type Participant } from './assign-shards.js';
import type { Shares } from './fleet-registry.js';

/** So many leases after NATS was away, or has lost the beats of workers, all that are alive have sent one again. */
const CALM_LEASES = 1.5;

/** What a leader knows when it decides who is to have which shard. */
export interface Judgement {
  readonly shards: number;
  /** The present shares. */
  readonly before: Shares;
  readonly alive: readonly Participant[];
  /** Whether a worker that is not alive has to be taken for silent, and not only for not heard yet. */
  readonly isSilent: (worker: string) => boolean;
  /** In ms since 1970. */
  readonly now: number;
}

/** Decides who is to have which shard; undefined if that is as it is. */
export function judge({ shards, before, alive, isSilent, now }: Judgement): Shares | undefined {
  const capacities = new Map(alive.map(({ worker, capacity }) => [worker, capacity]));
  const silent: string[] = [];
  for (const { worker, capacity } of before.workers) {
    if (capacities.has(worker)) continue;
    if (isSilent(worker)) silent.push(worker);
    else capacities.set(worker, capacity);
  }
  const workers = Array.from(capacities, ([worker, capacity]) => ({ worker, capacity }));
  workers.sort((a, b) => (a.worker < b.worker ? -1 : 1));
  return shared({ shards, before, workers, silent, now });
}

/** The shares without a worker, which leaves. */
export function sharesWithout(worker: string, before: Shares, now: number): Shares | undefined {
  const workers = before.workers.filter(one => one.worker !== worker);
  return shared({ shards: before.owners.length, before, workers, silent: [], now });
}

function shared({
  shards,
  before,
  workers,
  silent,
  now,
}: Pick<Judgement, 'shards' | 'before' | 'now'> & Pick<Shares, 'workers' | 'silent'>): Shares | undefined {
  const owners = assignShards(shards, workers, shard => before.workers[before.owners[shard] ?? -1]?.worker);
  const isSame = JSON.stringify([workers, owners]) === JSON.stringify([before.workers, before.owners]);
  // Higher than before, also if what was before is lost.
  return isSame ? undefined : { epoch: Math.max(before.epoch + 1, now), workers, owners, silent };
}

/**
 * Whether a leader may take who is not alive for silent. After an outage, no worker seems to be alive until its next beat: until
 * then, only those are silent whom this worker itself has found alive since.
 */
export class Calm {
  readonly #lease: number;
  #since: number;
  #answeredAt = -Infinity;
  #list = 0;
  readonly #seen = new Set<string>();

  /** Times are in ms, by a clock that is never set back. */
  constructor(lease: number, now: number) {
    this.#lease = lease;
    this.#since = now;
  }

  /** NATS has answered what was sent at a time. */
  answered(sentAt: number): void {
    if (sentAt - this.#answeredAt > this.#lease) this.#begin(sentAt);
    this.#answeredAt = sentAt;
  }

  /** How long NATS has not answered, in ms. */
  silence(now: number): number {
    return now - this.#answeredAt;
  }

  /** These are alive. */
  found(alive: readonly Participant[], list: number, now: number): void {
    if (list !== this.#list) this.#begin(now);
    this.#list = list;
    for (const { worker } of alive) this.#seen.add(worker);
  }

  isSilent(worker: string, now: number): boolean {
    return now - this.#since > CALM_LEASES * this.#lease || this.#seen.has(worker);
  }

  #begin(now: number): void {
    this.#since = now;
    this.#seen.clear();
  }
}
