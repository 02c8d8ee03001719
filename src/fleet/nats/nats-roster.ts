import { JetStreamApiCodes } from '@nats-io/jetstream';
import type { KV, KvWatchEntry } from '@nats-io/kv';
import { defer, Observable } from 'rxjs';
import type { Claim, FleetRoster, RosterEntry } from '../worker/index.js';
import type { Heartbeat } from '../fleet-event.js';
import { FleetError } from '../fleet-error.js';
import { isApiError } from './open-fleet.js';
import { natsProblem } from './nats-problem.js';

const WORKER = 'worker.';
const SHARD = 'shard.';

/** The workers and claims of a fleet in a bucket. Its number of shards is there, too, so that it is never empty. */
export function natsRoster(kv: KV): FleetRoster {
  const entries$ = new Observable<RosterEntry>(subscriber => {
    const follow = async () => {
      const watcher = await kv.watch();
      subscriber.add(() => watcher.stop());
      let isReady = false;
      for await (const entry of watcher) {
        if (subscriber.closed) return;
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
    beat: beat => asked(() => kv.put(WORKER + beat.worker, JSON.stringify(beat))),
    leave: worker => asked(() => kv.delete(WORKER + worker)),
    claim: ({ shard, ...claim }, revision) =>
      asked(async () => {
        const [key, value] = [`${SHARD}${shard}`, JSON.stringify(claim)];
        try {
          return await (revision === 0 ? kv.create(key, value) : kv.update(key, value, revision));
        } catch (error) {
          const { StreamWrongLastSequence, StreamWrongLastSequenceUnknown } = JetStreamApiCodes;
          if (isApiError(error, StreamWrongLastSequence, StreamWrongLastSequenceUnknown)) return undefined;
          throw error;
        }
      }),
  };
}

function asked<T>(ask: () => Promise<T>): Observable<T> {
  return defer(() =>
    ask().catch((error: unknown) => {
      throw natsProblem(error);
    }),
  );
}

function readEntry(entry: KvWatchEntry): RosterEntry | undefined {
  const { key, operation, revision } = entry;
  const isThere = operation === 'PUT';
  if (key.startsWith(WORKER)) {
    return isThere
      ? { kind: 'beat', beat: entry.json<Heartbeat>() }
      : { kind: 'left', worker: key.slice(WORKER.length) };
  }
  if (!key.startsWith(SHARD)) return undefined;
  const shard = Number(key.slice(SHARD.length));
  const claim = isThere ? entry.json<Omit<Claim, 'shard'>>() : { owner: undefined, epoch: 0, idle: {} };
  return { kind: 'claim', claim: { ...claim, shard }, revision };
}
