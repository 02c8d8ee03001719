import type { KvEntry, KvWatchEntry } from '@nats-io/kv';
import { defer, Observable } from 'rxjs';
import { cursor, plainObject, positiveInteger } from '../../../error/index.js';
import type { Claim, FleetRoster, IdlePlace, IdlePlaces, RosterEntry } from '../worker/index.js';
import type { Heartbeat } from '../fleet-event.js';
import { FleetError } from '../fleet-error.js';
import type { NatsClock } from './nats-clock.js';
import { fenced } from './fenced.js';
import type { WorkingFleet } from './open-fleet.js';
import { natsProblem } from './nats-problem.js';

const WORKER = 'worker.';
const SHARD = 'shard.';
const IDLE = 'idle.';

/** The workers and claims of a fleet in a bucket. Its number of shards is there, too, so that it is never empty. */
export function natsRoster({ kv, places, ensure }: WorkingFleet, clock: NatsClock): FleetRoster {
  /** The last heartbeat of this worker, and when it was sent. */
  let sent = { text: '', at: 0 };
  const entries$ = new Observable<RosterEntry>(subscriber => {
    const follow = async () => {
      await ensure();
      const watcher = await kv.watch();
      subscriber.add(() => watcher.stop());
      let isReady = false;
      let last = 0;
      for await (const entry of watcher) {
        if (subscriber.closed) return;
        if (entry.revision < last) throw new FleetError('the bucket of the fleet has been created again');
        last = entry.revision;
        if (entry.operation === 'PUT' && entry.string() === sent.text)
          clock.learn(sent.at, entry.created.getTime());
        const read = readEntry(entry);
        if (read) subscriber.next(read);
        // That of the last one that was there before.
        if (entry.isUpdate && !isReady) {
          isReady = true;
          subscriber.next({ kind: 'ready' });
        }
      }
      throw new FleetError('NATS has ended the watch of the bucket of the fleet');
    };
    follow().catch((error: unknown) => subscriber.error(natsProblem(error)));
  });

  return {
    entries$,
    beat: beat =>
      asked(() => {
        sent = { text: JSON.stringify(beat), at: Date.now() };
        return kv.put(WORKER + beat.worker, sent.text);
      }),
    leave: worker => asked(() => kv.delete(WORKER + worker)),
    claim: ({ shard, ...claim }, previousSeq) =>
      asked(() => fenced(() => kv.put(`${SHARD}${shard}`, JSON.stringify(claim), { previousSeq }))),
    places: shard =>
      asked(async () => {
        const entry = await places.get(`${IDLE}${shard}`);
        return placesAt(entry ? jsonOf(entry) : undefined, at => clock.toLocal(at));
      }),
    storePlaces: (shard, idle) =>
      asked(() => places.put(`${IDLE}${shard}`, JSON.stringify(placesAt(idle, at => clock.toNats(at))))),
  };
}

function asked<T>(ask: () => Promise<T>): Observable<T> {
  return defer(() =>
    ask().catch((error: unknown) => {
      throw natsProblem(error);
    }),
  );
}

/** Idle places with times by another clock; none if something else is stored. */
function placesAt(places: unknown, atOf: (at: number) => number): IdlePlaces {
  if (!plainObject.is(places)) return {};
  return Object.fromEntries(
    Object.entries(places).flatMap(([id, place]) =>
      isPlace(place) ? [[id, { ...place, at: atOf(place.at) }]] : [],
    ),
  );
}

/** What an entry says; undefined if it is of no use. Anyone who may write to the bucket may have written anything. */
function readEntry(entry: KvWatchEntry): RosterEntry | undefined {
  const { key, operation, revision, created } = entry;
  const value = operation === 'PUT' ? jsonOf(entry) : undefined;
  if (key.startsWith(WORKER)) {
    const worker = key.slice(WORKER.length);
    if (operation !== 'PUT') return { kind: 'left', worker };
    if (!isBeat(value) || value.worker !== worker) return undefined;
    return { kind: 'beat', beat: value, storedAt: created.getTime() };
  }
  const shard = key.startsWith(SHARD) ? Number(key.slice(SHARD.length)) : NaN;
  if (!Number.isSafeInteger(shard)) return undefined;
  const { owner, epoch } = isClaim(value) ? value : { owner: undefined, epoch: 0 };
  return { kind: 'claim', claim: { shard, owner, epoch }, revision };
}

function jsonOf(entry: Pick<KvEntry, 'json'>): unknown {
  try {
    return entry.json();
  } catch {
    return undefined;
  }
}

function isBeat(u: unknown): u is Heartbeat {
  const { instance, capacity } = Object(u) as Partial<Record<keyof Heartbeat, unknown>>;
  return typeof instance === 'string' && positiveInteger.is(capacity);
}

function isClaim(u: unknown): u is Omit<Claim, 'shard'> {
  const { owner, epoch } = Object(u) as Partial<Record<keyof Claim, unknown>>;
  return (owner === undefined || typeof owner === 'string') && Number.isSafeInteger(epoch);
}

function isPlace(u: unknown): u is IdlePlace {
  const { sequence, index, at } = Object(u) as Partial<Record<keyof IdlePlace, unknown>>;
  return Number.isSafeInteger(sequence) && cursor.is(index) && Number.isFinite(at);
}
