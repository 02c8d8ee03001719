// Saves the streams of a fleet to a folder, and restores them on a server that has none of them, by
// requests of JetStream alone:
//
//     npx tsx examples/fleet/backup.ts save 127.0.0.1:4222 FOLDER
//     npx tsx examples/fleet/backup.ts restore 127.0.0.1:4222 FOLDER
import { closeSync, mkdirSync, openSync, readFileSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { connect, createInbox, RequestError, type Msg, type NatsConnection } from '@nats-io/transport-node';

/**
 * Positions come first. So a restored position is not newer than the restored events. The stream of
 * heartbeats is not worth a backup.
 */
const STREAMS = ['KV_LOBBY_POSITIONS', 'KV_LOBBY_FLEET', 'LOBBY_EVENTS'];

/** How many bytes are in one message. */
const CHUNK_SIZE = 65_536;

/** How long NATS may take to answer, in ms. */
const TIMEOUT_MS = 30_000;

/** How often a request is sent that nobody has received. */
const MAX_TRIES = 10;

/** Backs up the streams of a fleet, without consumers, to a folder for each of them. */
export async function save(nats: NatsConnection, folder: string, streams = STREAMS): Promise<void> {
  for (const stream of streams) {
    const target = join(folder, stream);
    mkdirSync(target, { recursive: true });
    const deliver_subject = createInbox();
    const chunks = nats.subscribe(deliver_subject);
    const asked = { deliver_subject, no_consumers: true, chunk_size: CHUNK_SIZE };
    const { config, state } = await ask(nats, `$JS.API.STREAM.SNAPSHOT.${stream}`, JSON.stringify(asked));
    const file = openSync(join(target, 'stream.tar.s2'), 'w');
    for await (const chunk of chunks) {
      // The last message is empty. Its status says whether the server has sent everything.
      if (chunk.data.length === 0) {
        if (chunk.headers && chunk.headers.code !== 204) throw new Error(chunk.headers.description);
        break;
      }
      writeSync(file, chunk.data);
      chunk.respond();
    }
    closeSync(file);
    writeFileSync(join(target, 'backup.json'), JSON.stringify({ config, state }));
  }
}

/** Restores the streams of a fleet, which must not exist. */
export async function restore(nats: NatsConnection, folder: string, streams = STREAMS): Promise<void> {
  for (const stream of streams) {
    const asked = readFileSync(join(folder, stream, 'backup.json'), 'utf8');
    const { deliver_subject } = await ask(nats, `$JS.API.STREAM.RESTORE.${stream}`, asked);
    const file = openSync(join(folder, stream, 'stream.tar.s2'), 'r');
    const chunk = Buffer.alloc(CHUNK_SIZE);
    for (let length = readSync(file, chunk); length > 0; length = readSync(file, chunk)) {
      await request(nats, deliver_subject as string, chunk.subarray(0, length));
    }
    closeSync(file);
    await ask(nats, deliver_subject as string, '');
  }
}

async function ask(nats: NatsConnection, subject: string, data: string) {
  const message = await request(nats, subject, data);
  const answer = message.json<Readonly<Record<string, unknown>>>();
  if (answer.error) throw new Error(`${subject}: ${JSON.stringify(answer.error)}`);
  return answer;
}

/**
 * Sends a request. In a cluster, a server may take a moment until it knows which other one takes
 * the parts of a stream.
 */
async function request(nats: NatsConnection, subject: string, data: string | Uint8Array): Promise<Msg> {
  for (let tries = 1; ; tries++) {
    try {
      return await nats.request(subject, data, { timeout: TIMEOUT_MS });
    } catch (error) {
      if (!(error instanceof RequestError && error.isNoResponders()) || tries === MAX_TRIES) throw error;
      await wait(500);
    }
  }
}

if (import.meta.filename === process.argv[1]) {
  const [, , command, servers, folder] = process.argv;
  const commands = new Map([
    ['save', save],
    ['restore', restore],
  ]);
  const run = commands.get(command ?? '');
  if (!run || !servers || !folder) {
    console.error('npx tsx examples/fleet/backup.ts save|restore SERVER FOLDER');
    process.exit(2);
  }
  const nats = await connect({ servers });
  await run(nats, folder);
  await nats.close();
}
