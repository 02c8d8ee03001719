import { defer, merge, switchMap, type Observable } from 'rxjs';
import {
  aFunction,
  checkOptions,
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
import { backoff } from '../../../stream/index.js';
import { BatchReader, type FleetBatch } from './batch-reader.js';
import { ConsumerLog, type FleetConsumerLogEntry } from './consumer-log.js';
import {
  fleetName,
  identityId,
  natsConnection,
  openFleetToRead,
  storedSubjects,
  whenClosed,
  whileStarting,
  workerName,
  type Nats,
  type OpenFleet,
} from '../nats/index.js';

/** The options of {@link fleetBatches}. `nats` is required; everything else is optional. */
export interface FleetBatchesConfig<Codecs extends EventCodecs = NoOwnEvents> {
  /** A connection of `@nats-io/transport-node`, or the promise of one. It stays yours. */
  readonly nats: Nats;
  /** Only the identities of one shard, or one identity. Default: all. */
  readonly of?: { readonly shard: number } | { readonly identity_id: string };
  /**
   * The name of a consumer, whose position NATS keeps: it continues where it was. Without a name,
   * it starts from now. A new one starts with all that is stored. One process reads with a name:
   * the last one that subscribes. The others end.
   */
  readonly durable?: string | undefined;
  /** The position of the last processed batch: what comes after it is next, whatever NATS keeps. */
  readonly from?: number | undefined;
  /**
   * Called with each batch. The next one comes after what it returns has completed. If it fails, it
   * is called again, with increasing waits. Save the position together with what you make of the
   * events; skip a batch at the saved position, or lower without a gap. Nothing is lost or doubled.
   */
  readonly ack?: ((batch: FleetBatch<PayloadsOf<Codecs>>) => unknown) | undefined;
  /**
   * Called every 10 s with how far behind the consumer is, when it cannot go on, and when the
   * connection is lost or there again. Errors are swallowed.
   */
  readonly log?: ((entry: FleetConsumerLogEntry) => void) | undefined;
  /** Codecs of your own event kinds, as in `createClient`. */
  readonly kinds?: Codecs;
  /** The name of the fleet. Default `lobby`. */
  readonly fleet?: string;
}

const position: Guard<number> = {
  name: 'the position of a batch: an integer, at least 0',
  is: (u): u is number => Number.isSafeInteger(u) && (u as number) >= 0,
};

const OPTIONS: Options<FleetBatchesConfig> = {
  nats: natsConnection,
  of: {
    name: '{ shard: number } or { identity_id: string }',
    is: u =>
      plainObject.is(u) && (position.is(u.shard) ? !('identity_id' in u) : identityId.is(u.identity_id)),
  },
  durable: workerName,
  from: position,
  ack: aFunction,
  log: aFunction,
  kinds: plainObject,
  fleet: fleetName,
};

/**
 * The events that a fleet has stored, in the order in which they were stored. Cold: each
 * subscription is a consumer. It never completes. If the stream has lost the position where it was,
 * or was created again, the first batch of each identity has a gap. Positions go back only if a
 * server has lost the end of what it had stored: to what a gap follows.
 *
 * Errors: `FleetError` if it cannot begin (the first worker, a slow NATS, and a cluster that
 * chooses its leaders, have a minute), another process reads with its `durable`, or the connection
 * was closed; `InputError` if `durable` is the name of a consumer of other identities. Once it has
 * begun, everything else is retried. Throws an `InputError` if the config is invalid.
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
    const isStarting = whileStarting(nats);
    const batches$ = defer(() => openFleetToRead({ nats, fleet })).pipe(
      switchMap(fleet => merge(batchesOf(fleet, config, log), log.of(fleet), whenClosed(fleet.nats))),
    );
    const shouldRetry = (error: unknown) => {
      if (!isStarting(error)) return false;
      log.retrying(error);
      return true;
    };
    return batches$.pipe(backoff({ max: 2_000, shouldRetry }));
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
    from,
    ack,
    log,
    decode: answer => decodedEvents(codec, answer).events,
  });
  return reader.batches();
}
