import { randomUUID } from 'node:crypto';
import { AckPolicy, DeliverPolicy, JetStreamApiCodes, type ConsumerInfo } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { InputError } from '../../error/index.js';
import type { CatchUp, Delivery } from '../messages-in-order.js';
import { isApiError, type OpenFleet } from './open-fleet.js';
import type { FleetMessage } from './record-reader.js';

/** How many messages to have on the way. Each may be as large as the server allows. */
const PREFETCHED = 64;

/** A consumer without a name is deleted when it has not been used for so long, in ms. */
const ABANDONED = 300_000;

/** Where a consumer has to be created, if it does not exist. */
export interface ConsumedConfig {
  readonly subjects: string;
  /** Its name, if it is to outlive this process. */
  readonly durable: string | undefined;
  /** Everything up to this position has been handled; undefined if the consumer knows itself. */
  readonly handled: number | undefined;
}

/** The messages that a consumer delivers. */
export interface Consumed {
  /** Everything up to this position has been handled. */
  readonly handled: number;
  readonly deliveries: AsyncIterable<Delivery<FleetMessage> | CatchUp>;
  readonly stop: () => void;
}

/** Follows a pull consumer, and creates it if it does not exist. Ends with an error if the consumer is deleted. */
export async function consumed(fleet: OpenFleet, config: ConsumedConfig): Promise<Consumed> {
  const { js, names } = fleet;
  const info = await requireConsumer(fleet, config);
  const handled = config.handled ?? info.ack_floor.stream_seq;
  const consumer = await js.consumers.get(names.stream, info.name);
  const messages = await consumer.consume({ max_messages: PREFETCHED, abort_on_missing_resource: true });

  async function* deliveries(): AsyncGenerator<Delivery<FleetMessage> | CatchUp, void, undefined> {
    // What was delivered before, and not acknowledged, is delivered again, but much later, and after what is new.
    const known = info.delivered.stream_seq;
    yield { upTo: known };
    let number = info.ack_floor.consumer_seq;
    for await (const message of messages) {
      const isNext = message.info.deliverySequence === number + 1;
      number = message.info.deliverySequence;
      const { seq: sequence, subject, headers, data } = message;
      yield {
        message: { sequence, subject, headers, data },
        follows: last => isNext && last >= known,
        done: () => message.ack(),
      };
    }
  }
  const stop = () => {
    messages.stop();
    // No other process knows its name.
    if (config.durable === undefined)
      fleet.jsm.consumers.delete(names.stream, info.name).catch(() => undefined);
  };
  return { handled, deliveries: deliveries(), stop };
}

async function requireConsumer(
  { jsm, names }: OpenFleet,
  { subjects, durable, handled }: ConsumedConfig,
): Promise<ConsumerInfo> {
  const existing =
    durable === undefined
      ? undefined
      : await jsm.consumers.info(names.stream, durable).catch((error: unknown) => {
          if (isApiError(error, JetStreamApiCodes.ConsumerNotFound)) return undefined;
          throw error;
        });
  if (!existing) {
    return jsm.consumers.add(names.stream, {
      ...(durable === undefined
        ? { name: `lobby-rx-${randomUUID()}`, inactive_threshold: nanos(ABANDONED) }
        : { durable_name: durable }),
      ack_policy: AckPolicy.Explicit,
      filter_subject: subjects,
      ...(handled === undefined
        ? { deliver_policy: DeliverPolicy.All }
        : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: handled + 1 }),
    });
  }
  const { filter_subject, ack_policy } = existing.config;
  if (filter_subject !== subjects || ack_policy !== AckPolicy.Explicit) {
    const rule = `the name of a consumer of ${subjects}, or of none`;
    throw new InputError('durable', rule, `that of a consumer of ${filter_subject ?? 'something else'}`);
  }
  return existing;
}
