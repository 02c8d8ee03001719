import { createHash } from 'node:crypto';
import { AckPolicy, DeliverPolicy } from '@nats-io/jetstream';
import { nanos, type Msg } from '@nats-io/transport-node';
import {
  concat,
  concatMap,
  defer,
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
import { FleetError } from '../../fleet-error.js';
import { reconnected } from '../nats-connection.js';
import type { OpenFleet } from '../open-fleet.js';
import { readPart, readRecord, type FleetMessage } from './stored-record.js';
import type { LastRecord } from '../../worker/index.js';

/**
 * How often to look for lost messages, in ms. If a message gets lost on the way and no other
 * follows, nothing else shows the loss.
 */
const LOOK_MS = 60_000;

/** How many messages to read at once. */
const BATCH_SIZE = 64;
/** How long reading them may take, in ms. */
const PATIENCE_MS = 5_000;

/** By how much a server of a cluster may lag behind, in ms. */
const LAG_MS = 1_000;

/** The length of the longest name that a consumer may have. */
const MAX_NAME_LENGTH = 255;

/**
 * A message that the stream republishes. It may have been delivered before, and messages before it
 * may be lost.
 */
export interface LiveMessage<M> {
  readonly message: M;
  /** Whether no message is missing between `last` and this one. */
  readonly follows: (last: number) => boolean;
}

/** Emitted when messages may have been stored but not delivered. */
export const CATCH_UP = 'catch up';

/**
 * A record by which a feed recognizes where it was. If NATS was set back, or the stream was created
 * again, another record may have its position.
 */
export type KnownRecord = Pick<LastRecord, 'sequence' | 'key'>;

/** The stream no longer has the last handled record, and has not just dropped it for its age. */
export class LostRecords extends FleetError {}

/**
 * The messages of a subject after the last handled record, each once and in order. Messages that
 * are stored later follow (`nats-log.ts` stores them). It needs no rights to read other identities.
 * It errors with {@link LostRecords} if the stream has lost the last handled record.
 */
export function identityMessages(
  fleet: OpenFleet,
  subject: string,
  handled: () => KnownRecord,
): Observable<FleetMessage> {
  async function* read(from: number): AsyncGenerator<FleetMessage, void, undefined> {
    const known = handled();
    const last = await lastOf(fleet, subject);
    if (!isKept(known, last.record) && (await hasLost(fleet, subject, known)))
      throw new LostRecords('NATS has lost stored records');
    // Reading needs a consumer, which costs the server far more than this look. Mostly there is
    // nothing to read.
    if (last.message < from) return;
    // The handled record is read again, because only that shows whether it is still the same.
    for await (const message of storedMessages(fleet, subject, Math.min(from, known.sequence || from))) {
      const { sequence, headers } = message;
      if (sequence === known.sequence && readRecord(headers)?.key !== known.key)
        throw new LostRecords('NATS has stored other records in place of those that were read');
      if (sequence >= from) yield message;
    }
  }
  return defer(() => inOrder(liveMessages(fleet, subject), read, handled().sequence));
}

/**
 * The last record of a subject, or one at 0. A server that lags behind may return an earlier
 * record.
 */
export async function lastRecordOf(fleet: OpenFleet, subject: string): Promise<KnownRecord> {
  return (await lastOf(fleet, subject)).record;
}

/**
 * The position of the last message of a subject, and its last record. They differ if the last
 * message is a part of an unfinished record. Then the key of the record is not known.
 */
async function lastOf({ jsm, names }: OpenFleet, subject: string) {
  const last = await jsm.direct.getMessage(names.stream, { last_by_subj: subject });
  if (!last) return { message: 0, record: { sequence: 0, key: '' } };
  const { seq: message, header } = last;
  const key = readRecord(header)?.key ?? '';
  const sequence = key ? message : (readPart(header)?.after ?? 0);
  return { message, record: { sequence, key } };
}

/**
 * Whether the records of a subject end before a known one, or with another one in its place. It
 * looks twice, because a server may lag behind.
 */
export async function hasLost(fleet: OpenFleet, subject: string, known: KnownRecord): Promise<boolean> {
  if (isKept(known, await lastRecordOf(fleet, subject))) return false;
  await new Promise(resolve => setTimeout(resolve, LAG_MS));
  return !isKept(known, await lastRecordOf(fleet, subject));
}

/** Whether the last record is a known one, or one after its position. */
function isKept(known: KnownRecord, last: KnownRecord): boolean {
  if (last.sequence !== known.sequence) return last.sequence > known.sequence;
  return last.key === known.key || last.key === '' || known.key === '';
}

/**
 * Emits each message once and in order, although deliveries may be repeated or lost. Messages that
 * were emitted before are left out. Missing ones come from `read`, which emits the stored messages
 * from a position on.
 */
export function inOrder<M extends { readonly sequence: number }>(
  live$: Observable<LiveMessage<M> | typeof CATCH_UP>,
  read: (from: number) => ObservableInput<M>,
  after: number,
): Observable<M> {
  return defer(() => {
    let last = after;
    const missing = (before = Infinity) =>
      defer(() => read(last + 1)).pipe(takeWhile(({ sequence }) => sequence < before));
    return live$.pipe(
      concatMap(live => {
        if (live === CATCH_UP) return missing();
        const { message, follows } = live;
        // Either this message was read before it was delivered, or the stream has lost its end.
        // Reading shows which.
        if (message.sequence <= last) return missing();
        return follows(last) ? of(message) : concat(missing(message.sequence), of(message));
      }),
      tap(({ sequence }) => {
        last = sequence;
      }),
    );
  });
}

/** Emits now, and again when a server that lags behind has caught up. */
const lookTwice$ = timer(0, LAG_MS).pipe(take(2));

/**
 * The messages that the stream republishes, and `CATCH_UP` each time that messages may have been
 * missed.
 */
function liveMessages(
  { nats, names }: OpenFleet,
  subject: string,
): Observable<LiveMessage<FleetMessage> | typeof CATCH_UP> {
  const live$ = new Observable<Msg>(subscriber => {
    const subscription = nats.subscribe(names.live + subject.slice(names.stored.length), {
      callback: (error, message) => {
        if (error) subscriber.error(error);
        else subscriber.next(message);
      },
    });
    return () => subscription.unsubscribe();
  });
  // Messages that were published while the connection was lost were not delivered.
  const connected$ = merge(of('begin'), reconnected(nats));
  const looks$ = merge(interval(LOOK_MS), connected$.pipe(switchMap(() => lookTwice$)));
  const catchUp$ = looks$.pipe(map((): typeof CATCH_UP => CATCH_UP));
  // The order matters: `live$` is subscribed to before stored messages are read, so that none falls
  // between.
  return merge(live$.pipe(map(liveMessageOf)), catchUp$);
}

function liveMessageOf({ headers, data }: Msg): LiveMessage<FleetMessage> {
  const before = Number(headers?.get('Nats-Last-Sequence'));
  const sequence = Number(headers?.get('Nats-Sequence'));
  const subject = headers?.get('Nats-Subject') ?? '';
  return { message: { sequence, at: 0, subject, headers, data }, follows: last => last === before };
}

/**
 * The stored messages of one identity from a position on. It ends with the last message that is
 * stored now. A user of NATS can be allowed to read just this identity. For that, the consumer has
 * the name of the identity. The server also compares its filter with the subject that creates it.
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
 * The name of the consumer of an identity. It is the identity's part of the subject, or a hash of
 * that if it is too long.
 */
function consumerOf(subject: string): string {
  const token = subject.slice(subject.lastIndexOf('.') + 1);
  return token.length <= MAX_NAME_LENGTH ? token : createHash('sha256').update(token).digest('hex');
}
