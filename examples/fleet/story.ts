// npm run record: follows an identity while its worker is killed, and draws what has come of its
// events. It needs nats-server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { connect } from '@nats-io/transport-node';
import { createEmulator, listen } from 'lobby-rx/emulator';
import { fleetBatches } from 'lobby-rx/fleet';
import { drawPicture, type Mark } from '../picture.js';
import { startNats } from './nats.js';
import { forgetProcesses, listedProcesses, Processes } from './processes.js';

/** When events happen, and when the worker is killed, in ms. */
const EVENTS = [500, 1_300, 2_100, 3_900, 4_900, 7_700, 8_500];
const KILLED_MS = 2_700;
const END_MS = 9_200;
/** Others take over from a worker that was silent for this time, in ms. */
const LEASE_MS = 3_000;

const folder = mkdtempSync(join(tmpdir(), 'lobby-rx-story-'));
const nats = await startNats(folder);
const emulator = createEmulator({ collectTime: 20 });
const service = await listen(emulator);
const { identity_id, token } = emulator.addIdentity();

let start = Infinity;
const now = () => Math.round(performance.now() - start);

/** The worker that follows the identity, and when it began to. */
let owner = '';
let takenAt = Infinity;
const live = new Set<string>();
const processes = new Processes({
  metricsOf: () => undefined,
  nats: nats.port,
  url: service.url,
  lease: LEASE_MS,
  shards: 1,
  database: join(folder, 'unused.sqlite'),
  identities: [[identity_id, token]],
  onEvent: (worker, event) => {
    if (event.kind === 'assigned') {
      owner = worker;
      takenAt = now();
    }
    if (event.kind === 'heartbeat' && event.heartbeat.live === 1) live.add(worker);
  },
  onCounts: () => undefined,
  onEnd: () => undefined,
});
for (const name of ['ada', 'ben']) processes.start(name);
while (live.size === 0) await setTimeout(20);

const received = new Map<number, { readonly at: number; readonly by: string }>();
const connection = await connect({ servers: `127.0.0.1:${nats.port}` });
fleetBatches({ nats: connection, durable: 'story' }).subscribe(({ events }) => {
  for (const event of events) {
    const { number } = (event as unknown as { payload: { number: number } }).payload;
    if (received.has(number)) throw new Error('an event came twice');
    received.set(number, { at: now(), by: owner });
  }
});
await setTimeout(500);
start = performance.now();
const first = owner;

async function publish(): Promise<void> {
  for (const [number, at] of EVENTS.entries()) {
    await setTimeout(at - now());
    emulator.publish(identity_id, { numbered: { number } });
  }
}
async function kill(): Promise<void> {
  await setTimeout(KILLED_MS - now());
  process.kill(listedProcesses()![first]!, 'SIGKILL');
}
await Promise.all([publish(), kill(), setTimeout(END_MS)]);

const late = EVENTS.filter((at, number) => (received.get(number)?.at ?? at) > at + 500).length;
if (received.size !== EVENTS.length || owner === first || late === 0)
  throw new Error('this run tells another story');
await processes.stop(0);
forgetProcesses();
nats.stop();
rmSync(folder, { recursive: true, force: true });

const marksBy = (worker?: string): readonly Mark[] =>
  [...received.values()]
    .filter(({ by }) => worker === undefined || by === worker)
    .map(({ at }) => ({ at, kind: 'event' }));

drawPicture({
  name: 'fleet-story',
  summary: `A worker of a fleet is killed. When it has been silent for a lease, another worker continues from the last answer that is stored. A service that reads the stream gets each event once: ${late} of them late.`,
  lasts: END_MS,
  trouble: { from: KILLED_MS, to: takenAt, text: '1. The worker is killed' },
  lanes: [
    {
      name: 'worker 1',
      marks: [...marksBy(first), { at: KILLED_MS, kind: 'failed' }],
      until: KILLED_MS,
      notes: [],
    },
    {
      name: 'worker 2',
      marks: marksBy(owner),
      notes: [{ text: '2. It goes on from what is stored' }],
    },
    {
      name: 'your service',
      marks: marksBy(),
      notes: [
        { text: '3. It gets each event once:', tone: 'good' },
        { text: `${late} come late, none is lost`, tone: 'good' },
      ],
    },
  ],
});
process.exit();
