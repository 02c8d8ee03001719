import { defer, finalize, merge, Observable, Subject, switchMap, tap, type Subscriber } from 'rxjs';
import {
  aFunction,
  checkOptions,
  InputError,
  isInputError,
  plainObject,
  toInput,
  type Guard,
  type Options,
} from '../../../error/index.js';
import {
  decodedEvents,
  identityEventList,
  type EventCodecs,
  type IdentityEventList,
  type LiveEvent,
  type NoOwnEvents,
  type PayloadsOf,
} from '../../../protocol/index.js';
import { backoff, type Gap } from '../../../stream/index.js';
import { ConsumerLog, type FleetConsumerLogEntry } from './consumer-log.js';
import { DurablePosition } from './durable-position.js';
import { HandledRecords } from './handled-records.js';
import {
  fleetName,
  identityId,
  isNewerVersion,
  natsConnection,
  natsProblem,
  openFleetToRead,
  orderedMessages,
  storedMessage,
  storedRecord,
  storedSubjects,
  streamState,
  whenClosed,
  whileStarting,
  workerName,
  type Nats,
  type OpenFleet,
  type OrderedMessage,
  type StoredRecord,
} from '../nats/index.js';

/** Events of one identity that came together. */
export interface FleetBatch<Own extends object = NoOwnEvents> {
  readonly identity_id: string;
  /** Oldest first. Empty if there is only a gap. */
  readonly events: readonly LiveEvent<Own>[];
  /** What may be missing before them. */
  readonly gap?: Gap;
  /**
   * Where they are: higher than those of all batches before, also in a stream that was created
   * again; lower only with a `gap`, if a server has lost the end of the stream. Save it, and pass
   * it as `from` later.
   */
  readonly position: number;
  /** When they were stored, in ms, by the clock of NATS. */
  readonly storedAt: number;
  /** How many messages of this consumer were left when NATS sent these: 0 if they are the last. */
  readonly lag: number;
}

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
  config: FleetBatchesConfig<Codecs>,
  log: ConsumerLog,
): Observable<FleetBatch<PayloadsOf<Codecs>>> {
  type Own = PayloadsOf<Codecs>;
  const { durable, of, from, ack } = config;
  const subjects = storedSubjects(fleet.names, of);
  const codec = identityEventList<Codecs>(config.kinds ?? ({} as Codecs));
  if (of && 'shard' in of && of.shard >= fleet.shards)
    throw new InputError('of.shard', `less than ${fleet.shards}, the number of shards`, String(of.shard));
  const messageAt = async (seq: number) => {
    const stored = await storedMessage(fleet, { seq });
    return stored ? { headers: stored.header, data: stored.data, at: stored.time.getTime() } : undefined;
  };
  const handled = new HandledRecords(from);
  let place: DurablePosition | undefined;
  const takenOver$ = new Subject<never>();

  const run = async (subscriber: Subscriber<FleetBatch<Own>>) => {
    const isLeft = () => subscriber.closed;
    const state = await streamState(fleet);
    const generation = await fleet.generationOf(state.created);
    if (durable !== undefined && !place) {
      place = await DurablePosition.open(fleet, { durable, subjects, from }, error =>
        takenOver$.error(error),
      );
      if (isLeft()) {
        place.close();
        return;
      }
      if (from === undefined) handled.continue(place.position);
    }
    const start = await handled.resume(state, generation, async sequence => (await messageAt(sequence))?.at);
    const { messages, stop } = await orderedMessages(fleet, subjects, start);
    subscriber.add(stop);
    for await (const message of messages) {
      const record = await storedRecord(message, messageAt);
      if (isLeft()) return;
      log.reading(message);
      const position = handled.positionOf(message);
      const gap = record && handled.gapBefore(record);
      const batch = record && batchOf(message, record, position, decodedEvents(codec, record.answer), gap);
      if (batch) {
        subscriber.next(batch);
        await acknowledged(batch, ack, subscriber, () => place?.check());
      }
      if (isLeft()) return;
      log.handled();
      handled.add(message);
      place?.handled(position);
    }
  };
  const batches$ = new Observable<FleetBatch<Own>>(subscriber => {
    const end = (error?: unknown) => {
      subscriber.error(natsProblem(error ?? new Error('the delivery has ended')));
    };
    run(subscriber).then(end, end);
  }).pipe(
    backoff({
      shouldRetry: error => {
        if (!handled.hasBegun || isInputError(error) || isNewerVersion(error)) return false;
        log.retrying(error);
        return true;
      },
    }),
  );
  return merge(batches$, takenOver$).pipe(finalize(() => place?.close()));
}

/** A record as a batch, if there is anything in it. */
function batchOf<Own extends object>(
  { at: storedAt, lag }: OrderedMessage,
  { identity_id }: StoredRecord,
  position: number,
  { events }: IdentityEventList<Own>,
  gap: Gap | undefined,
): FleetBatch<Own> | undefined {
  if (events.length === 0 && !gap) return undefined;
  return { identity_id, events, ...(gap && { gap }), position, storedAt, lag };
}

/** Resolves when a batch has been acknowledged, or its subscriber has left. */
function acknowledged<B>(
  batch: B,
  ack: ((batch: B) => unknown) | undefined,
  subscriber: Subscriber<unknown>,
  onError: () => void,
): Promise<void> | undefined {
  if (!ack || subscriber.closed) return undefined;
  return new Promise(resolve => {
    // Perhaps it failed because another process has taken over.
    const acking = defer(() => toInput(ack(batch)))
      .pipe(tap({ error: onError }), backoff())
      .subscribe();
    subscriber.add(acking);
    acking.add(resolve);
  });
}
