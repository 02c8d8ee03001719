import { createHash } from 'node:crypto';
import { AckPolicy, DeliverPolicy } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { FleetError } from '../fleet-error.js';
import type { OpenFleet } from './open-fleet.js';
import { readPart, readRecord } from './record-headers.js';
import type { FleetMessage } from './stored-record.js';

/** How many messages to read at once, and how long they may take, in ms. */
const BATCH = 64;
const PATIENCE = 5_000;

/** The longest name that a consumer may have. */
const MAX_NAME = 255;

/** The position of the last record of a subject; 0 if there is none. It may be that of the record before, if a server lags behind. */
export async function lastRecordOf({ jsm, names }: OpenFleet, subject: string): Promise<number> {
  const last = await jsm.direct.getMessage(names.stream, { last_by_subj: subject });
  if (!last) return 0;
  return readRecord(last.header) ? last.seq : (readPart(last.header)?.after ?? 0);
}

/**
 * The messages of one identity from a position on, up to those that are stored now. It uses nothing with which other identities
 * could be read: the server compares the filter of a consumer with the subject that creates it. The consumer has the name of the
 * identity, so that its rights can name it.
 */
export async function* ownMessages(
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
    inactive_threshold: nanos(2 * PATIENCE),
    mem_storage: true,
    num_replicas: 1,
  });
  try {
    const consumer = js.consumers.getConsumerFromInfo(info);
    for (let left = info.num_pending; left > 0;) {
      let read = 0;
      const fetched = await consumer.fetch({ max_messages: Math.min(left, BATCH), expires: PATIENCE });
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

/** The name of the consumer of an identity: its part of the subject, or, if that is too long, a hash of it. */
function consumerOf(subject: string): string {
  const token = subject.slice(subject.lastIndexOf('.') + 1);
  return token.length <= MAX_NAME ? token : createHash('sha256').update(token).digest('hex');
}
