// A fleet to look at. It has a NATS server, the emulated service, three workers and a consumer with
// a database. `npm run fleet:kill` in another terminal kills a worker.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createEmulator, listen } from 'lobby-rx/emulator';
import { METRICS_PORT } from '../show-metrics.js';
import { startNats } from './nats.js';
import { forgetProcesses, Processes } from './processes.js';
import { Screen } from './screen.js';

process.stdout.on('error', () => process.exit());
const { seconds, identities: count, metrics } = readOptions(process.argv.slice(2));

/** Others take over from a worker that was silent for this time, in ms. */
const LEASE_MS = 5_000;
const SHARDS = 48;
const NAMES = ['ada', 'ben', 'cleo', 'consumer'];
/** A killed process is started again after this time, in ms. */
const ABSENCE_MS = 15_000;

const folder = mkdtempSync(join(tmpdir(), 'lobby-rx-fleet-'));
const nats = await startNats(folder);
const emulator = createEmulator({ collectTime: 50 });
const service = await listen(emulator);
const players = Array.from({ length: count }, () => emulator.addIdentity());

const screen = new Screen(process.stdout, { shards: SHARDS, nats: nats.version, identities: count });
/** The number of live identities of each worker. */
const live = new Map<string, number>();
const metricsOf = (name: string) => (metrics ? METRICS_PORT + NAMES.indexOf(name) : undefined);
const processes = new Processes({
  metricsOf,
  nats: nats.port,
  url: service.url,
  lease: LEASE_MS,
  shards: SHARDS,
  database: join(folder, 'events.sqlite'),
  identities: players.map(({ identity_id, token }) => [identity_id, token]),
  onEvent: (worker, event) => {
    screen.event(worker, event);
    if (event.kind === 'heartbeat') live.set(event.heartbeat.worker, event.heartbeat.live);
  },
  onCounts: counts => screen.counts(counts),
  onEnd: name => {
    screen.note(`${name} was killed; another process of that name starts in ${ABSENCE_MS / 1_000} s`);
    setTimeout(() => {
      processes.start(name);
      screen.note(`${name} starts again`);
    }, ABSENCE_MS);
  },
});
for (const name of NAMES) {
  processes.start(name);
  if (metrics) screen.note(`metrics of ${name}: http://127.0.0.1:${metricsOf(name)}/metrics`);
}

let published = 0;
let isFollowed = false;
const publishing = setInterval(() => {
  // Events from before a worker follows an identity are not recorded.
  isFollowed ||= [...live.values()].reduce((sum, count) => sum + count, 0) === players.length;
  if (!isFollowed) return;
  const { identity_id } = players[Math.floor(Math.random() * players.length)]!;
  emulator.publish(identity_id, { numbered: { number: ++published } });
  screen.published(published);
}, 25);

const stop = async () => {
  clearInterval(publishing);
  await processes.stop(published);
  screen.end();
  await service.close();
  nats.stop();
  forgetProcesses();
  rmSync(folder, { recursive: true, force: true });
  process.exit();
};
setTimeout(() => void stop(), seconds * 1_000);
process.once('SIGINT', () => void stop()).once('SIGTERM', () => void stop());

interface Options {
  readonly seconds: number;
  readonly identities: number;
  readonly metrics: boolean;
}

function readOptions(args: string[]): Options {
  try {
    const options = {
      seconds: { type: 'string', default: '3600' },
      identities: { type: 'string', default: '60' },
      metrics: { type: 'boolean', default: false },
    } as const;
    const { values } = parseArgs({ args, options });
    const seconds = Number(values.seconds);
    const identities = Number(values.identities);
    if (!(seconds >= 5 && seconds <= 86_400)) throw new Error('--seconds must be from 5 to 86400');
    if (!(Number.isInteger(identities) && identities > 0 && identities <= 1_000))
      throw new Error('--identities must be an integer from 1 to 1000');
    return { seconds, identities, metrics: values.metrics };
  } catch (error) {
    console.error(`npm run fleet: ${(error as Error).message}`);
    process.exit(2);
  }
}
