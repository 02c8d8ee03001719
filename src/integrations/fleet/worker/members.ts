import type { FleetEvent } from '../fleet-event.js';
import { assignShards, type Participant } from './assign-shards.js';
import { NO_SHARES, type Present, type Shares } from './fleet-registry.js';
import { REUNION_LEASES } from './lease.js';

/**
 * What a worker knows about all workers. The owner of each shard depends on nothing else. Two
 * workers may know different things for a moment. Then both poll, and one of two appends is a
 * conflict.
 */
export interface Members {
  readonly shares: Shares;
  /** When the last heartbeat that NATS has answered was sent, on the monotonic clock. */
  readonly answeredAt: number;
  /**
   * Since this time, on the monotonic clock, NATS has not lost any worker early. It is set anew
   * after each outage, because then no worker seems to be alive until its next heartbeat.
   */
  readonly heardSince: number;
  /** The workers that have been alive at some look since then. */
  readonly found: ReadonlySet<string>;
  /** The workers that have said that they leave. */
  readonly left: ReadonlySet<string>;
  /** How often NATS had lost the list of live workers at the last look. */
  readonly listLosses: number;
}

/** The members as a worker knows them when it begins. */
export const firstMembers = (now: number): Members => ({
  shares: NO_SHARES,
  answeredAt: -Infinity,
  heardSince: now,
  found: new Set(),
  left: new Set(),
  listLosses: 0,
});

/**
 * The members after NATS has answered a heartbeat. If it had not answered for a lease, all of them
 * have to be heard again.
 */
export function afterAnswer(members: Members, sentAt: number, lease: number): Members {
  const isOutage = sentAt - members.answeredAt > lease;
  const heard = isOutage ? forgotten(members, sentAt) : members;
  return { ...heard, answeredAt: sentAt };
}

/** The members after a worker has reported that it leaves. */
export function afterLeaving(members: Members, worker: string): Members {
  const isKnown = members.shares.workers.some(known => known.worker === worker);
  return isKnown ? { ...members, left: new Set(members.left).add(worker) } : members;
}

/** What {@link afterLook} needs to decide which workers take part. */
interface MembersConfig {
  readonly me: Participant;
  readonly shards: number;
  readonly lease: number;
  readonly now: number;
}

/** The members after a look. `shares` is the same object if nothing has changed. */
export function afterLook(
  before: Members,
  present: Present,
  { me, shards, lease, now }: MembersConfig,
): Members {
  const members = present.listLosses === before.listLosses ? before : forgotten(before, now);
  const known = members.shares.workers;
  const taking = new Map(present.workers.map(({ worker, capacity }) => [worker, capacity]));
  // This worker takes part even if its heartbeat was not stored in time. If others have taken its
  // shards, its appends are conflicts.
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
  return { ...members, shares, found, left, listLosses: present.listLosses };
}

const forgotten = (members: Members, now: number): Members => ({
  ...members,
  heardSince: now,
  found: new Set(),
});

/** The events for members that have come or gone. */
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
