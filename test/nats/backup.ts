import { createInbox, type NatsConnection } from '@nats-io/transport-node';

/** A backup of a stream, as the requests of NATS make it. `nats stream backup` sends the same. */
export interface Backup {
  readonly stream: string;
  readonly config: unknown;
  readonly state: unknown;
  readonly chunks: readonly Uint8Array[];
}

/** Backs up a stream without its consumers. */
export async function backUp(nats: NatsConnection, stream: string): Promise<Backup> {
  const deliver_subject = createInbox();
  const chunks: Uint8Array[] = [];
  const delivered = nats.subscribe(deliver_subject);
  const asked = { deliver_subject, no_consumers: true, chunk_size: 65_536 };
  const { config, state } = await ask(nats, `$JS.API.STREAM.SNAPSHOT.${stream}`, JSON.stringify(asked));
  for await (const message of delivered) {
    if (message.data.length === 0) break;
    chunks.push(message.data);
    message.respond();
  }
  return { stream, config, state, chunks };
}

/** Restores a stream, which must not exist. */
export async function restore(
  nats: NatsConnection,
  { stream, config, state, chunks }: Backup,
): Promise<void> {
  const asked = JSON.stringify({ config, state });
  const { deliver_subject } = await ask(nats, `$JS.API.STREAM.RESTORE.${stream}`, asked);
  for (const chunk of chunks) await nats.request(deliver_subject as string, chunk, { timeout: 10_000 });
  await ask(nats, deliver_subject as string, '');
}

async function ask(nats: NatsConnection, subject: string, data: string) {
  const answer = (await nats.request(subject, data, { timeout: 10_000 })).json<Record<string, unknown>>();
  if (answer.error) throw new Error(`${subject}: ${JSON.stringify(answer.error)}`);
  return answer;
}
