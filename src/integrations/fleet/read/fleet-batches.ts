import { defer, merge, switchMap, type Observable } from 'rxjs';
import {
  aFunction,
  checkOptions,
  fieldsOf,
  InputError,
  plainObject,
  type Guard,
  type Options,
} from '../../../error/index.js';
import {
  decodedEvents,
  identityEventList,
  type EventCodecs,
  type NoOwnEvents,
  type PayloadsOf,
} from '../../../protocol/index.js';
import type { Awaitable } from '../../../stream/index.js';
import { BatchReader, type FleetBatch } from './batch-reader.js';
import { NOTHING, type FleetPosition } from './handled-records.js';
import { ConsumerLog, type FleetConsumerLogEntry } from './consumer-log.js';
import {
  fleetName,
  natsConnection,
  openFleetToRead,
  retryWhileStarting,
  storedSubjects,
  supervised,
  workerName,
  type Nats,
  type OpenFleet,
} from '../nats/index.js';
import { identityId } from '../worker/index.js';

/** The options of {@link fleetBatches}. `nats` is required. All others are optional. */
export interface FleetBatchesConfig<Codecs extends EventCodecs = NoOwnEvents> {
  /** A connection of `@nats-io/transport-node`, or the promise of one. It is not closed. */
  readonly nats: Nats;
  /** Selects the identities of one shard, or one identity. Default: all. */
  readonly of?: { readonly shard: number } | { readonly identity_id: string };
  /**
   * The name of a consumer. NATS keeps its position, so it continues where it was. A new name
   * starts with all that is stored. Without a name, a consumer starts from now. Only one process
   * reads with a name. If another process subscribes, the first one ends with an error.
   */
  readonly durable?: string | undefined;
  /**
   * The last processed batch, or what you have saved of it: its `position` and `storedAt`. The
   * batch after it comes first, even if NATS has another position. With 0, all that is stored
   * comes.
   */
  readonly from?: 0 | FleetPosition | undefined;
  /**
   * Called with each batch. Whatever it returns is waited for before the next batch comes: an
   * Observable, a promise, an array of them, and what is in them. If that fails, `ack` is called
   * again, with increasing waits, and the log says why. Save `position` and `storedAt` together
   * with the effect of the events. Skip a batch at the saved position, and one at a lower position
   * without a gap. Then nothing is lost or duplicated.
   */
  readonly ack?: ((batch: FleetBatch<PayloadsOf<Codecs>>) => Awaitable) | undefined;
  /**
   * Called every 10 s with the lag of the consumer. Also called when the consumer cannot go on, and
   * when the connection is lost or there again. Errors are swallowed.
   */
  readonly log?: ((entry: FleetConsumerLogEntry) => void) | undefined;
  /** Codecs of your own event kinds, as in `createClient`. */
  readonly kinds?: Codecs;
  /** The name of the fleet. Default `lobby`. */
  readonly fleet?: string;
}

const isCount = (u: unknown) => Number.isSafeInteger(u) && (u as number) >= 0;

const position: Guard<0 | FleetPosition> = {
  name: 'a batch, or { position, storedAt } of one, or 0',
  is: (u): u is 0 | FleetPosition => {
    const { position, storedAt } = fieldsOf(u);
    // After a restore, a position alone would not tell which batch it was.
    return u === 0 || (isCount(position) && isCount(storedAt));
  },
};

const OPTIONS: Options<FleetBatchesConfig> = {
  nats: natsConnection,
  of: {
    name: '{ shard: number } or { identity_id: string }',
    is: u => plainObject.is(u) && (isCount(u.shard) ? !('identity_id' in u) : identityId.is(u.identity_id)),
  },
  durable: workerName,
  from: position,
  ack: aFunction,
  log: aFunction,
  kinds: plainObject,
  fleet: fleetName,
};

/**
 * The events that a fleet has stored, in their stored order. Cold: each subscription is a consumer.
 * It never completes. If the stream has lost the batch where the consumer was, or was created
 * again, all that was stored since comes, and the first batch of each identity has a gap. Positions
 * go back only if a server has lost the end of the stream. A batch with a gap follows.
 *
 * Errors: `FleetError` if it cannot begin within a minute, another process reads with its
 * `durable`, or the connection was closed. In that minute it waits for the first worker, a slow
 * NATS, or a cluster that elects its leaders. `InputError` if `durable` is the name of a consumer
 * of other identities. Once it has begun, everything else is retried. Throws an `InputError` if the
 * config is invalid.
 *
 * @example
 * fleetBatches({ nats, durable: 'billing', ack: batch => save(batch) }).subscribe();
 */
export function fleetBatches<const Codecs extends EventCodecs = NoOwnEvents>(
  config: FleetBatchesConfig<Codecs>,
): Observable<FleetBatch<PayloadsOf<Codecs>>> {
  checkOptions<FleetBatchesConfig>(config as object as FleetBatchesConfig, OPTIONS, '', ['nats']);
  const { nats, fleet } = config;
  return defer(() => {
    const log = new ConsumerLog(config.log);
    return defer(() => openFleetToRead({ nats, fleet })).pipe(
      switchMap(fleet => merge(batchesOf(fleet, config, log), log.of(fleet), supervised(fleet.nats))),
      retryWhileStarting(nats, error => log.retrying(error)),
    );
  });
}

function batchesOf<Codecs extends EventCodecs>(
  fleet: OpenFleet,
  { of, durable, from, ack, kinds }: FleetBatchesConfig<Codecs>,
  log: ConsumerLog,
): Observable<FleetBatch<PayloadsOf<Codecs>>> {
  if (of && 'shard' in of && of.shard >= fleet.shards)
    throw new InputError('of.shard', `less than ${fleet.shards}, the number of shards`, String(of.shard));
  const codec = identityEventList<Codecs>(kinds ?? ({} as Codecs));
  const reader = new BatchReader<PayloadsOf<Codecs>>({
    fleet,
    subjects: storedSubjects(fleet.names, of),
    durable,
    from: from === 0 ? NOTHING : from,
    ack,
    log,
    decode: answer => decodedEvents(codec, answer).events,
  });
  return reader.batches();
}
