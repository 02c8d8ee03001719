import { randomUUID } from 'node:crypto';
import { AckPolicy, DeliverPolicy, type JetStreamManager } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { lastKept, messageFrom, storedMessage, streamState, type OpenFleet } from '../nats/index.js';
import { durablePositions } from './durable-position.js';
import { HandledRecords, type FleetPosition } from './handled-records.js';

/** A consumer with a `durable`, and what is left for it to read. */
export interface ConsumerLag {
  readonly durable: string;
  /** The subjects that it reads: those of all identities, of a shard or of one identity. */
  readonly subjects: string;
  /** How many messages it has not handled. */
  readonly messages: number;
  /** When the oldest of them was stored, in ms. `undefined` if none is left. */
  readonly oldestAt: number | undefined;
}

/** A delivery of the stream to a connected consumer, with or without a `durable`. */
export interface Delivery {
  readonly subjects: string;
  /** How many messages NATS has not sent to it yet. */
  readonly messages: number;
}

/** NATS removes a consumer that was only made to count, even if this process ends, in ms. */
const COUNTING_MS = 5_000;

export async function consumerLags(fleet: OpenFleet): Promise<readonly ConsumerLag[]> {
  const lags: ConsumerLag[] = [];
  for (const [durable, { subjects, ...position }] of await durablePositions(fleet)) {
    const after = await resumesAfter(fleet, position);
    const messages = await countAfter(fleet, subjects, after);
    const query = { seq: after + 1, next_by_subj: subjects };
    const oldest = messages > 0 ? await storedMessage(fleet, query) : null;
    lags.push({ durable, subjects, messages, oldestAt: oldest?.time.getTime() });
  }
  return lags;
}

/** Where a consumer that starts now would go on. */
async function resumesAfter(fleet: OpenFleet, position: FleetPosition): Promise<number> {
  const stream = await streamState(fleet);
  const generation = await fleet.generationOf(stream);
  const from = (sequence: number) => messageFrom(fleet, sequence);
  return new HandledRecords(position).resume(stream, generation, known => lastKept(known, stream, from));
}

/** How many messages of these subjects come after a position. Only a consumer counts them. */
async function countAfter({ jsm, names }: OpenFleet, subjects: string, after: number): Promise<number> {
  const { name, num_pending } = await jsm.consumers.add(names.stream, {
    name: `counts-${randomUUID()}`,
    filter_subject: subjects,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: after + 1,
    ack_policy: AckPolicy.None,
    inactive_threshold: nanos(COUNTING_MS),
    mem_storage: true,
    num_replicas: 1,
  });
  await jsm.consumers.delete(names.stream, name);
  return num_pending;
}

/** The deliveries to the consumers that are connected. Those to feeds are left out. */
export async function deliveries(jsm: JetStreamManager, stream: string): Promise<readonly Delivery[]> {
  const found: Delivery[] = [];
  for await (const { config, num_pending } of jsm.consumers.list(stream)) {
    const [subjects = config.filter_subject ?? ''] = config.filter_subjects ?? [];
    if (subjects.endsWith('.*')) found.push({ subjects, messages: num_pending });
  }
  return found;
}
