import { createHash } from 'node:crypto';
import { AckPolicy, DeliverPolicy } from '@nats-io/jetstream';
import { nanos, type Msg } from '@nats-io/transport-node';
import {
  concat,
  concatMap,
  defer,
  filter,
  interval,
  map,
  merge,
  Observable,
  of,
  switchMap,
  take,
  takeWhile,
  tap,
  timer,
  type ObservableInput,
} from 'rxjs';
import { FleetError } from '../fleet-error.js';
import { connectionStatus } from './nats-connection.js';
import type { OpenFleet } from './open-fleet.js';
import { readPart, readRecord, type FleetMessage } from './stored-record.js';

/**
 * A message may get lost on the way without another one that shows it. How often to look for it, in
 * ms.
 */
const LOOK_MS = 60_000;

/** How many messages to read at once, and how long they may take, in ms. */
const BATCH_SIZE = 64;
const PATIENCE_MS = 5_000;

/** How far a server of a cluster may lag behind, in ms. */
const LAG_MS = 1_000;

/** The length of the longest name that a consumer may have. */
const MAX_NAME_LENGTH = 255;

/** A message as it is delivered: perhaps again, perhaps after others that were lost on the way. */
export interface Delivery<M> {
  readonly message: M;
  /**
   * Whether nothing that belongs between is missing, if everything up to `last` has been emitted.
   */
  readonly follows: (last: number) => boolean;
}

/** Messages may have been stored that were not delivered. */
export const CATCH_UP = 'catch up';

/**
 * The messages of a subject after the record that was handled last, each once and in order, and
 * those that are stored later. It uses nothing with which other identities could be read. It fails
 * if the stream has lost that record.
 */
export function identityMessages(
  fleet: OpenFleet,
  subject: string,
  handled: () => number,
): Observable<FleetMessage> {
  async function* read(from: number): AsyncGenerator<FleetMessage, void, undefined> {
    const last = await lastOf(fleet, subject);
    const isBehind = last.record < handled();
    if (isBehind && (await hasLost(fleet, subject, handled())))
      throw new FleetError('NATS has lost what it had stored');
    // A consumer costs the server far more than a look, and mostly there is nothing to read.
    if (isBehind || last.message >= from) yield* storedMessages(fleet, subject, from);
  }
  return defer(() => inOrder(deliveries(fleet, subject), read, handled()));
}

/**
 * The position of the last record of a subject, or 0. A server that lags behind may say the
 * position of the record before it.
 */
export async function lastRecordOf(fleet: OpenFleet, subject: string): Promise<number> {
  return (await lastOf(fleet, subject)).record;
}

/**
 * The positions of the last message of a subject, and of the last record, of which that may not be
 * a part yet.
 */
async function lastOf({ jsm, names }: OpenFleet, subject: string) {
  const last = await jsm.direct.getMessage(names.stream, { last_by_subj: subject });
  if (!last) return { message: 0, record: 0 };
  const { seq: message, header } = last;
  return { message, record: readRecord(header) ? message : (readPart(header)?.after ?? 0) };
}

/**
 * Whether the records of a subject end before a position. A server that lags behind is asked again.
 */
export async function hasLost(fleet: OpenFleet, subject: string, position: number): Promise<boolean> {
  const isThere = async () => position === 0 || (await lastRecordOf(fleet, subject)) >= position;
  if (await isThere()) return false;
  await new Promise(resolve => setTimeout(resolve, LAG_MS));
  return !(await isThere());
}

/**
 * Each message once and in order, whatever is delivered. What was emitted is left out; what is
 * missing is read from the stream by `read`, which emits the messages at or after a position.
 */
export function inOrder<M extends { readonly sequence: number }>(
  deliveries$: Observable<Delivery<M> | typeof CATCH_UP>,
  read: (from: number) => ObservableInput<M>,
  after: number,
): Observable<M> {
  return defer(() => {
    let last = after;
    const missing = (before = Infinity) =>
      defer(() => read(last + 1)).pipe(takeWhile(({ sequence }) => sequence < before));
    return deliveries$.pipe(
      concatMap(delivery => {
        if (delivery === CATCH_UP) return missing();
        const { message, follows } = delivery;
        // It has been read before it was delivered; or the stream has lost its end, which shows
        // when it is read.
        if (message.sequence <= last) return missing();
        return follows(last) ? of(message) : concat(missing(message.sequence), of(message));
      }),
      tap(({ sequence }) => {
        last = sequence;
      }),
    );
  });
}

/** Now, and when a server that lags behind has what was stored before. */
const lookTwice$ = timer(0, LAG_MS).pipe(take(2));

/** What the stream republishes; and, now and then, that something may have been missed. */
function deliveries(
  { nats, names }: OpenFleet,
  subject: string,
): Observable<Delivery<FleetMessage> | typeof CATCH_UP> {
  const live$ = new Observable<Msg>(subscriber => {
    const subscription = nats.subscribe(names.live + subject.slice(names.stored.length), {
      callback: (error, message) => {
        if (error) subscriber.error(error);
        else subscriber.next(message);
      },
    });
    return () => subscription.unsubscribe();
  });
  // A message that was published before it was connected again was not delivered.
  const reconnected$ = connectionStatus(nats).pipe(filter(({ type }) => type === 'reconnect'));
  // First, it is subscribed to what comes: what is stored is read after that.
  return merge(
    live$.pipe(map(deliveryOf)),
    merge(interval(LOOK_MS), merge(of('begin'), reconnected$).pipe(switchMap(() => lookTwice$))).pipe(
      map((): typeof CATCH_UP => CATCH_UP),
    ),
  );
}

function deliveryOf({ headers, data }: Msg): Delivery<FleetMessage> {
  const before = Number(headers?.get('Nats-Last-Sequence'));
  const sequence = Number(headers?.get('Nats-Sequence'));
  const subject = headers?.get('Nats-Subject') ?? '';
  return { message: { sequence, at: 0, subject, headers, data }, follows: last => last === before };
}

/**
 * The messages of one identity from a position on, up to those that are stored now. The server
 * compares the filter of a consumer with the subject that creates it. The consumer has the name of
 * the identity, so that its rights can name it.
 */
async function* storedMessages(
  { js, jsm, names }: OpenFleet,
  subject: string,
  from: number,
): AsyncGenerator<FleetMessage, void, undefined> {
  const name = consumerOf(subject);
  const info = await jsm.consumers.add(names.stream, {
    name,
    filter_subject: subject,
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: from,
    inactive_threshold: nanos(2 * PATIENCE_MS),
    mem_storage: true,
    num_replicas: 1,
  });
  try {
    const consumer = js.consumers.getConsumerFromInfo(info);
    let left = info.num_pending;
    while (left > 0) {
      let read = 0;
      const fetched = await consumer.fetch({
        max_messages: Math.min(left, BATCH_SIZE),
        expires: PATIENCE_MS,
      });
      for await (const { seq: sequence, time, subject, headers, data } of fetched) {
        read++;
        yield { sequence, at: time.getTime(), subject, headers, data };
      }
      if (read === 0) throw new FleetError('the NATS server did not deliver in time');
      left -= read;
    }
  } finally {
    await jsm.consumers.delete(names.stream, name).catch(() => undefined);
  }
}

/**
 * The name of the consumer of an identity: its part of the subject, or, if that is too long, a hash
 * of it.
 */
function consumerOf(subject: string): string {
  const token = subject.slice(subject.lastIndexOf('.') + 1);
  return token.length <= MAX_NAME_LENGTH ? token : createHash('sha256').update(token).digest('hex');
}
