import { DeliverPolicy } from '@nats-io/jetstream';
import { filter, from, map, merge } from 'rxjs';
import { FleetError } from '../../fleet-error.js';
import { reconnected } from '../nats-connection.js';
import type { OpenFleet } from '../open-fleet.js';
import type { FleetMessage } from './stored-record.js';

/** How many messages may be on the way. Each may be as large as the server allows. */
const PREFETCHED = 64;

/** A message with the number of messages that came after it when the server sent it. */
export interface OrderedMessage extends FleetMessage {
  readonly lag: number;
}

/** How often the server of a consumer says that it is there, in ms. */
const HEARTBEAT_MS = 2_500;

/** The delivery of messages in their stored order. */
export interface OrderedMessages {
  readonly messages: AsyncIterable<OrderedMessage>;
  /** Asks NATS how many messages are left. Rejects if it does not answer. */
  readonly left: () => Promise<number>;
  readonly stop: () => void;
}

/**
 * The messages of subjects after a position, each once and in order. Messages that are stored later
 * follow. They end with an error when the connection was lost, because the server may have lost
 * stored messages, too. They also end when the server that has the consumer is silent. That may be
 * another server than the one of the connection, and nats.js 3.4 waits until it comes back.
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
  const delivered = await consumer.consume({
    max_messages: PREFETCHED,
    idle_heartbeat: HEARTBEAT_MS,
    abort_on_missing_resource: true,
  });
  /** Since when a message is awaited. While one is handled, nothing is asked of the server. */
  let waitingSince = performance.now();
  const isSilent = () => performance.now() - waitingSince > 2 * HEARTBEAT_MS;
  const interrupted$ = reconnected(nats).pipe(map(() => 'the connection to NATS was interrupted'));
  const silent$ = from(delivered.status()).pipe(
    filter(({ type }) => type === 'heartbeats_missed' && isSilent()),
    map(() => 'the NATS server that has the consumer is silent'),
  );
  const failing = merge(interrupted$, silent$).subscribe(why => delivered.stop(new FleetError(why)));

  async function* messages(): AsyncGenerator<OrderedMessage, void, undefined> {
    for await (const { seq: sequence, info, timestampNanos, subject, headers, data } of delivered) {
      waitingSince = Infinity;
      // `time` is rounded, and would differ from the time that a direct get returns.
      const at = Number(timestampNanos / 1_000_000n);
      yield { sequence, at, lag: info.pending, subject, headers, data };
      waitingSince = performance.now();
    }
  }
  const stop = () => {
    failing.unsubscribe();
    delivered.stop();
    consumer.delete().catch(() => undefined);
  };
  // Those that NATS has not sent, and those that have arrived.
  const left = async () => (await consumer.info()).num_pending + delivered.getPending();
  return { messages: messages(), left, stop };
}
