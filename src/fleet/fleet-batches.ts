import { defer, merge, Observable, switchMap, type Subscriber } from 'rxjs';
import {
  aFunction,
  checkConfig,
  InputError,
  isInputError,
  plainObject,
  toInput,
  type Guard,
  type Options,
} from '../error/index.js';
import type { EventCodecs, LiveEvent, NoOwnEvents, PayloadsOf } from '../protocol/index.js';
import { backoff, type Gap } from '../stream/index.js';
import { messagesInOrder } from './messages-in-order.js';
import { natsConnection, type Nats } from './nats-connection.js';
import {
  consumed,
  fleetName,
  identityId,
  natsProblem,
  openFleetToRead,
  RecordReader,
  whenClosed,
  workerName,
  type OpenFleet,
  type StoredRecord,
} from './nats/index.js';
import { RecordChain } from './record-chain.js';
import { storedEvents } from './stored-events.js';

/** Events of one identity that came together. */
export interface FleetBatch<Own extends object = NoOwnEvents> {
  readonly identity_id: string;
  /** Oldest first. Empty if there is only a gap. */
  readonly events: readonly LiveEvent<Own>[];
  /** What may be missing before them. */
  readonly gap?: Gap;
  /** Where they are in the stream: higher than those of all batches before. Save it, and pass it as `from` later. */
  readonly position: number;
}

/** The options of {@link fleetBatches}. `nats` is required; everything else is optional. */
export interface FleetBatchesConfig<Codecs extends EventCodecs = NoOwnEvents> {
  /** A connection of `@nats-io/transport-node`, or the promise of one. It stays yours. */
  readonly nats: Nats;
  /** Only the identities of one shard, or one identity. Default: all. */
  readonly of?: { readonly shard: number } | { readonly identity_id: string };
  /**
   * The name of a consumer that NATS keeps: it continues where it was. Without a name, it starts from now. A new one starts with
   * all that is stored.
   */
  readonly durable?: string | undefined;
  /** The position of the last batch that has been processed: what comes after it is next, whatever NATS has kept. */
  readonly from?: number | undefined;
  /**
   * Called with each batch. The next one comes after what it returns has completed. If it fails, it is called again, with
   * increasing waits. Save the position together with what you make of the events: then nothing is lost or doubled.
   */
  readonly ack?: ((batch: FleetBatch<PayloadsOf<Codecs>>) => unknown) | undefined;
  /** Codecs of your own event kinds, as in `createClient`. */
  readonly events?: Codecs;
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
  events: plainObject,
  fleet: fleetName,
};

/**
 * The events that a fleet has stored, in the order in which they were stored. Cold: each subscription is a consumer. It never
 * completes. What is missing on the way is read from the stream; what comes again is left out.
 *
 * Errors: `FleetError` if it cannot begin, or the connection was closed; `InputError` if `from` or `durable` does not fit the
 * stream. Once it has begun, everything else is retried. Throws an `InputError` if the config is invalid.
 *
 * @example
 * fleetBatches({ nats, durable: 'billing', ack: batch => save(batch) }).subscribe();
 */
export function fleetBatches<const Codecs extends EventCodecs = NoOwnEvents>(
  config: FleetBatchesConfig<Codecs>,
): Observable<FleetBatch<PayloadsOf<Codecs>>> {
  checkConfig<FleetBatchesConfig>(config as object as FleetBatchesConfig, OPTIONS, 'nats');
  const { nats, fleet } = config;
  return defer(() => openFleetToRead({ nats, fleet })).pipe(
    switchMap(fleet => merge(batchesOf(fleet, config), whenClosed(fleet.nats))),
  );
}

function batchesOf<Codecs extends EventCodecs>(
  fleet: OpenFleet,
  config: FleetBatchesConfig<Codecs>,
): Observable<FleetBatch<PayloadsOf<Codecs>>> {
  type Own = PayloadsOf<Codecs>;
  const { durable, of, from, ack } = config;
  const reader = new RecordReader(fleet);
  const subjects = reader.subjects(of);
  const eventsOf = storedEvents<Codecs>(config.events ?? ({} as Codecs));
  if (of && 'shard' in of && of.shard >= fleet.shards)
    throw new InputError('of.shard', `less than ${fleet.shards}, the number of shards`, String(of.shard));
  let handled = from;
  /** There once it has begun. */
  let chain: RecordChain | undefined;

  const run = async (subscriber: Subscriber<FleetBatch<Own>>) => {
    const isLeft = () => subscriber.closed;
    const { last } = await reader.range();
    if (handled !== undefined && handled > last) {
      if (!chain)
        throw new InputError('from', `at most ${last}, the last position of the stream`, String(handled));
      // NATS has lost what it had stored.
      handled = 0;
    }
    if (durable === undefined) handled ??= last;
    const { deliveries, stop, handled: start } = await consumed(fleet, { subjects, durable, handled });
    subscriber.add(stop);
    handled = start;
    chain ??= new RecordChain(start);
    for await (const message of messagesInOrder(deliveries, from => reader.next(subjects, from), start)) {
      const record = await reader.read(message);
      if (isLeft()) return;
      const batch = record && batchOf(record, eventsOf(record).events, chain.gapBefore(record));
      if (batch) {
        subscriber.next(batch);
        await acknowledged(batch, ack, subscriber);
      }
      if (isLeft()) return;
      handled = message.sequence;
    }
  };
  return new Observable<FleetBatch<Own>>(subscriber => {
    const end = (error?: unknown) => {
      subscriber.error(natsProblem(error ?? new Error('the delivery has ended')));
    };
    run(subscriber).then(end, end);
  }).pipe(backoff({ when: error => chain !== undefined && !isInputError(error) }));
}

/** A record as a batch, if there is anything in it. */
function batchOf<Own extends object>(
  { identity_id, sequence }: StoredRecord,
  events: readonly LiveEvent<Own>[],
  gap: Gap | undefined,
): FleetBatch<Own> | undefined {
  if (events.length === 0 && !gap) return undefined;
  return { identity_id, events, ...(gap && { gap }), position: sequence };
}

/** Resolves when a batch has been acknowledged, or its subscriber has left. */
function acknowledged<B>(
  batch: B,
  ack: ((batch: B) => unknown) | undefined,
  subscriber: Subscriber<unknown>,
): Promise<void> | undefined {
  if (!ack || subscriber.closed) return undefined;
  return new Promise(resolve => {
    const acking = defer(() => toInput(ack(batch)))
      .pipe(backoff())
      .subscribe();
    subscriber.add(acking);
    acking.add(resolve);
  });
}
