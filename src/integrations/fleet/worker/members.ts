import type { FleetEvent } from '../fleet-event.js';
import { assignShards, type Participant } from './assign-shards.js';
import { NO_SHARES, type Present, type Shares } from './fleet-registry.js';
import { REUNION_LEASES } from './lease.js';

/**
 * What a worker knows of all workers. Who owns which shard follows from that alone. For a moment,
 * two workers may know different things: then both poll, and one of two appends is refused.
 */
export interface Members {
  readonly shares: Shares;
  /** When the last beat was sent that NATS has answered, on the monotonic clock. */
  readonly answeredAt: number;
  /**
   * Since when nobody may have been forgotten before their time, on the monotonic clock. After an
   * outage, no worker seems to be alive until its next beat.
   */
  readonly heardSince: number;
  /** The workers that this one has found alive since then. */
  readonly found: ReadonlySet<string>;
  /** The workers that have said that they leave. */
  readonly left: ReadonlySet<string>;
  /** The list of who is alive in which they were found. */
  readonly list: number;
}

/** What a worker knows when it begins. */
export const firstMembers = (now: number): Members => ({
  shares: NO_SHARES,
  answeredAt: -Infinity,
  heardSince: now,
  found: new Set(),
  left: new Set(),
  list: 0,
});

/** NATS has answered a beat. If it had not for a lease, all members are to be heard again. */
export function afterAnswer(members: Members, sentAt: number, lease: number): Members {
  const isOutage = sentAt - members.answeredAt > lease;
  return { ...(isOutage ? forgotten(members, sentAt) : members), answeredAt: sentAt };
}

/** A worker has said that it leaves. */
export function afterLeaving(members: Members, worker: string): Members {
  const isKnown = members.shares.workers.some(known => known.worker === worker);
  return isKnown ? { ...members, left: new Set(members.left).add(worker) } : members;
}

/** What a worker needs to decide which workers take part. */
interface MembersConfig {
  readonly me: Participant;
  readonly shards: number;
  readonly lease: number;
  readonly now: number;
}

/** What `me` knows after a look. `shares` is the same object if nothing has changed. */
export function afterLook(
  before: Members,
  present: Present,
  { me, shards, lease, now }: MembersConfig,
): Members {
  const members = present.list === before.list ? before : forgotten(before, now);
  const known = members.shares.workers;
  const taking = new Map(present.workers.map(({ worker, capacity }) => [worker, capacity]));
  // It is alive, even if it was not heard in time: if others have taken its shards, its appends are
  // refused.
  if (known.some(({ worker }) => worker === me.worker)) taking.set(me.worker, me.capacity);
  const found = new Set([...members.found, ...taking.keys()]);
  const missing = known.filter(({ worker }) => !taking.has(worker));
  const isReunion = now - members.heardSince <= REUNION_LEASES * lease;
  const silent: string[] = [];
  for (const { worker, capacity } of missing) {
    if (members.left.has(worker)) continue;
    if (isReunion && !found.has(worker)) taking.set(worker, capacity);
    else silent.push(worker);
  }
  const workers = Array.from(taking, ([worker, capacity]) => ({ worker, capacity }));
  workers.sort((a, b) => (a.worker < b.worker ? -1 : 1));
  const gone = new Set(missing.map(({ worker }) => worker));
  const left = new Set([...members.left].filter(worker => !gone.has(worker)));
  const isSame = JSON.stringify(workers) === JSON.stringify(known);
  const shares = isSame ? members.shares : { workers, silent, owners: assignShards(shards, workers) };
  return { ...members, shares, found, left, list: present.list };
}

const forgotten = (members: Members, now: number): Members => ({
  ...members,
  heardSince: now,
  found: new Set(),
});

/** Tells which members have come and gone. */
export function memberChanges({ workers, silent }: Shares, before: Shares): readonly FleetEvent[] {
  const now = new Set(workers.map(({ worker }) => worker));
  const then = new Set(before.workers.map(({ worker }) => worker));
  const joined = [...now].filter(worker => !then.has(worker));
  const gone = [...then].filter(worker => !now.has(worker));
  return [
    ...joined.map((worker): FleetEvent => ({ kind: 'worker', worker, state: 'joined' })),
    ...gone.map((worker): FleetEvent => ({
      kind: 'worker',
      worker,
      state: silent.includes(worker) ? 'silent' : 'left',
    })),
  ];
}
