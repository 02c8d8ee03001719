import { DeliverPolicy } from '@nats-io/jetstream';
import { filter } from 'rxjs';
import { FleetError } from '../fleet-error.js';
import { connectionStatus } from './connection-status.js';
import type { OpenFleet } from './open-fleet.js';
import type { FleetMessage } from './stored-record.js';

/** How many messages to have on the way. Each may be as large as the server allows. */
const PREFETCHED = 64;

/** A message, and how many came after it when the server sent it. */
export interface OrderedMessage extends FleetMessage {
  readonly lag: number;
}

/** Messages as they are stored. */
export interface OrderedMessages {
  readonly messages: AsyncIterable<OrderedMessage>;
  readonly stop: () => void;
}

/**
 * The messages of subjects after a position, each once and in order, and those that are stored later. They end with an error when
 * the connection was lost: the server may have lost what it had stored, too.
 */
export async function orderedMessages(
  { js, nats, names }: OpenFleet,
  subjects: string,
  after: number,
): Promise<OrderedMessages> {
  const consumer = await js.consumers.get(names.stream, {
    filter_subjects: subjects,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: after + 1,
  });
  const delivered = await consumer.consume({ max_messages: PREFETCHED, abort_on_missing_resource: true });
  const reconnecting = connectionStatus(nats)
    .pipe(filter(({ type }) => type === 'reconnect'))
    .subscribe(() => delivered.stop(new FleetError('the connection to NATS was interrupted')));

  async function* messages(): AsyncGenerator<OrderedMessage, void, undefined> {
    for await (const { seq: sequence, info, time, subject, headers, data } of delivered)
      yield { sequence, at: time.getTime(), lag: info.pending, subject, headers, data };
  }
  const stop = () => {
    reconnecting.unsubscribe();
    delivered.stop();
    consumer.delete().catch(() => undefined);
  };
  return { messages: messages(), stop };
}
