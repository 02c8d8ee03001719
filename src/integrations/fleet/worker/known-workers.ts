import type { FleetEvent } from '../fleet-event.js';
import { assignShards, type Participant } from './assign-shards.js';
import type { Present } from './fleet-registry.js';
import { REUNION_LEASES } from './lease.js';

/** The owner of each shard. It depends only on the workers that are alive. */
export interface Assignment {
  readonly workers: readonly Participant[];
  /** By shard. Each is an index in `workers`. */
  readonly owners: readonly number[];
  /** The workers that had shards until now, and were silent for a lease. */
  readonly silent: readonly string[];
}

/**
 * What a worker knows about all workers. The owner of each shard depends on nothing else. Two
 * workers may know different things for a moment. Then both poll, and one of two appends is a
 * conflict.
 */
export interface KnownWorkers {
  readonly assignment: Assignment;
  /** When the last heartbeat that NATS has answered was sent, on the monotonic clock. */
  readonly answeredAt: number;
  /**
   * The end of the last outage, on the monotonic clock. A worker that NATS has not listed since
   * then was not lost by the outage, in which no worker seems to be alive.
   */
  readonly heardSince: number;
  /** The workers that have been alive at some look since then. */
  readonly found: ReadonlySet<string>;
  /** The workers that have said that they leave. */
  readonly left: ReadonlySet<string>;
  /** How often NATS had lost the list of live workers at the last look. */
  readonly listLosses: number;
}

/** A worker knows no other when it begins. */
export const initiallyKnown = (now: number): KnownWorkers => ({
  assignment: { workers: [], owners: [], silent: [] },
  answeredAt: -Infinity,
  heardSince: now,
  found: new Set(),
  left: new Set(),
  listLosses: 0,
});

/**
 * What is known after NATS has answered a heartbeat. If it had not answered for a lease, all
 * workers have to be heard again.
 */
export function afterAnswer(known: KnownWorkers, sentAt: number, lease: number): KnownWorkers {
  const isOutage = sentAt - known.answeredAt > lease;
  const heard = isOutage ? toBeHeardAgain(known, sentAt) : known;
  return { ...heard, answeredAt: sentAt };
}

/** What is known after a worker has reported that it leaves. */
export function afterLeaving(known: KnownWorkers, leaving: string): KnownWorkers {
  const isParticipant = known.assignment.workers.some(({ worker }) => worker === leaving);
  return isParticipant ? { ...known, left: new Set(known.left).add(leaving) } : known;
}

/** What {@link afterLook} needs to decide which workers take part. */
interface LookConfig {
  readonly me: Participant;
  readonly shards: number;
  readonly lease: number;
  readonly now: number;
}

/** What is known after a look. `assignment` is the same object if nothing has changed. */
export function afterLook(
  before: KnownWorkers,
  present: Present,
  { me, shards, lease, now }: LookConfig,
): KnownWorkers {
  const known = present.listLosses === before.listLosses ? before : toBeHeardAgain(before, now);
  const former = known.assignment.workers;
  const participants = new Map<string, Participant>();
  for (const { worker, capacity, trial } of present.workers)
    participants.set(worker, { worker, capacity, trial });
  // This worker takes part even if its heartbeat was not stored in time. If others have taken its
  // shards, its appends are conflicts.
  if (former.some(({ worker }) => worker === me.worker)) participants.set(me.worker, me);
  const found = new Set([...known.found, ...participants.keys()]);
  const missing = former.filter(({ worker }) => !participants.has(worker));
  const isReunion = now - known.heardSince <= REUNION_LEASES * lease;
  const silent: string[] = [];
  for (const participant of missing) {
    const { worker } = participant;
    if (known.left.has(worker)) continue;
    if (isReunion && !found.has(worker)) participants.set(worker, participant);
    else silent.push(worker);
  }
  const workers = [...participants.values()].sort((a, b) => (a.worker < b.worker ? -1 : 1));
  const isSame = JSON.stringify(workers) === JSON.stringify(former);
  const assignment = isSame ? known.assignment : { workers, silent, owners: assignShards(shards, workers) };
  const left = new Set(known.left);
  for (const { worker } of missing) left.delete(worker);
  return { ...known, assignment, found, left, listLosses: present.listLosses };
}

const toBeHeardAgain = (known: KnownWorkers, now: number): KnownWorkers => ({
  ...known,
  heardSince: now,
  found: new Set(),
});

/** The shards that are assigned to a worker. `undefined` if the worker does not take part. */
export function shardsOf({ workers, owners }: Assignment, name: string): ReadonlySet<number> | undefined {
  const index = workers.findIndex(({ worker }) => worker === name);
  if (index < 0) return undefined;
  const shards = new Set<number>();
  owners.forEach((owner, shard) => {
    if (owner === index) shards.add(shard);
  });
  return shards;
}

/** The name of the worker that a shard is assigned to. `undefined` if there is none. */
export function ownerOf({ workers, owners }: Assignment, shard: number): string | undefined {
  const owner = owners[shard];
  return owner === undefined ? undefined : workers[owner]?.worker;
}

/** The events for workers that have come or gone. */
export function workerChanges({ workers, silent }: Assignment, before: Assignment): readonly FleetEvent[] {
  const now = new Set(workers.map(({ worker }) => worker));
  const then = new Set(before.workers.map(({ worker }) => worker));
  const events: FleetEvent[] = [];
  for (const worker of now) {
    if (!then.has(worker)) events.push({ kind: 'worker', worker, state: 'joined' });
  }
  for (const worker of then) {
    if (now.has(worker)) continue;
    const state = silent.includes(worker) ? 'silent' : 'left';
    events.push({ kind: 'worker', worker, state });
  }
  return events;
}
