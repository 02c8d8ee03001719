// npm run chaos: runs real processes on loopback under faults, kills and freezes, and counts lost events.
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { SavedWorld } from 'lobby-rx/emulator';
import { highestFigure, readJournal, restartCount } from './journal.js';
import type {
  ChaosPlan,
  FromConsumer,
  FromService,
  TestIdentity,
  ToConsumer,
  ToService,
} from './messages.js';
import { printTable } from './print-table.js';
import { evaluate } from './evaluate.js';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '240' },
    seed: { type: 'string', default: '1' },
    events: { type: 'string', default: '100000' },
    faults: { type: 'string', default: '5000' },
  },
});
const seconds = Number(values.seconds);
const seed = Number(values.seed);
const plan: ChaosPlan = {
  ...{ seconds, identities: 50, faults: Number(values.faults), kills: 10, consumerKills: 4 },
  events: Number(values.events),
  ...{ retention: 15_000, deadline: 4_000 },
};

const folder = mkdtempSync(join(tmpdir(), 'chaos-'));
const file = join(folder, 'journal.ndjson');
const start = Date.now();
const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));
const spawn = (name: string) =>
  fork(join(import.meta.dirname, `${name}.ts`), {
    execArgv: ['--import', 'tsx', '--expose-gc'],
    stdio: 'inherit',
  });
const answer = <T>(child: ChildProcess) =>
  new Promise<T>(resolve => child.once('message', message => resolve(message as T)));
const ended = (child: ChildProcess) =>
  new Promise<number | null>(resolve => child.once('exit', code => resolve(code)));
const log = (text: string) =>
  console.log(`${((Date.now() - start) / 1000).toFixed(1).padStart(6)} s  ${text}`);

type Answer<K extends FromService['kind']> = Extract<FromService, { kind: K }>;

// The service. Its state is kept here too, so that it can be killed at any time and restarted with it.
let service = spawn('service');
let saved: SavedWorld | undefined;
let identities: readonly TestIdentity[] = [];
let port = 0;
/** The latest timestamp from the service. It may be ahead of the clock. */
let tick = 0;
const faults: Record<string, number> = {};
const ask = <A extends FromService>(message: ToService): Promise<A> => {
  const answered = answer<A>(service);
  service.send(message);
  return answered;
};
async function serve(): Promise<void> {
  const started = await ask<Answer<'started'>>({
    kind: 'start',
    port,
    seed: seed + Object.keys(faults).length,
    plan,
    ...(saved && { saved: { ...saved, tick } }),
  });
  if (!saved) {
    saved = started.saved;
    identities = started.identities;
  }
  port = started.port;
}
async function collectReport(): Promise<number> {
  const report = await ask<Answer<'report'>>({ kind: 'report' });
  for (const [kind, count] of Object.entries(report.faults)) faults[kind] = (faults[kind] ?? 0) + count;
  return report.sockets;
}
async function killService(): Promise<void> {
  await collectReport();
  const gone = ended(service);
  service.kill('SIGKILL');
  await gone;
  await wait(300);
  service = spawn('service');
  await serve();
}
await serve();

// The consumer.
let consumer = spawn('consumer');
const consume = () => consumer.send({ kind: 'start', port, identities, file, plan } satisfies ToConsumer);
consume();
async function killConsumer(): Promise<void> {
  const gone = ended(consumer);
  consumer.kill('SIGKILL');
  await gone;
  consumer = spawn('consumer');
  consume();
}
async function freeze(child: ChildProcess, ms: number): Promise<void> {
  child.kill('SIGSTOP');
  await wait(ms);
  child.kill('SIGCONT');
}

// The disruptions, spread over the run. The end of the run has none, so that everything can arrive.
await wait(4_000);
const spread = (count: number, at: number) =>
  Array.from({ length: count }, (_, i) => (0.05 + (0.75 * (i + at)) / count) * seconds);
const disruptions: readonly {
  readonly at: number;
  readonly name: string;
  readonly act: () => Promise<void>;
}[] = [
  ...spread(plan.kills, 0.3).map(at => ({ at, name: 'service killed and restarted', act: killService })),
  ...spread(plan.consumerKills, 0.6).map(at => ({
    at,
    name: 'consumer killed and resumed',
    act: killConsumer,
  })),
  ...spread(3, 0.45).map(at => ({
    at,
    name: 'service frozen past the deadline',
    act: () => freeze(service, plan.deadline + 1_500),
  })),
  ...spread(1, 0.9).map(at => ({
    at,
    name: 'consumer frozen past the retention',
    act: () => freeze(consumer, plan.retention + 3_000),
  })),
].sort((a, b) => a.at - b.at);

const sent = new Map(identities.map(({ identity_id }) => [identity_id, 0]));
const logs = new Map(saved?.identities.map(([id, record]) => [id, record.log]));
let total = 0;
let next = 0;
const publishSeconds = seconds * 0.85;
const began = Date.now();
while (total < plan.events) {
  const elapsed = (Date.now() - began) / 1000;
  const due = Math.min(plan.events, Math.ceil((plan.events * elapsed) / publishSeconds));
  const events: [string, number][] = [];
  for (; total < due && events.length < 1_000; total++) {
    const { identity_id } = identities[total % identities.length]!;
    const n = sent.get(identity_id)!;
    events.push([identity_id, n]);
    sent.set(identity_id, n + 1);
  }
  const { stamps } = await ask<Answer<'published'>>({ kind: 'publish', events });
  // Every accepted event is kept here for a restarted service, as long as the service itself would keep it.
  for (const [i, [identity_id, n]] of events.entries()) {
    const stamp = stamps[i]!;
    tick = Math.max(tick, stamp);
    const log = logs.get(identity_id)!;
    log.push({ stamp, event: { kind: { work: n }, ts: new Date(stamp).toISOString() } });
    while (log[0] && log[0].stamp < stamp - plan.retention) log.shift();
  }
  const disruption = disruptions[next];
  if (disruption && elapsed >= disruption.at) {
    next++;
    log(`${disruption.name} (${total.toLocaleString('en')} events sent)`);
    await disruption.act();
  }
  await wait(20);
}
for (; next < disruptions.length; next++) {
  log(disruptions[next]!.name);
  await disruptions[next]!.act();
}
await collectReport();
await ask<Answer<'faults_stopped'>>({ kind: 'stop_faults' });
log('faults stopped; waiting for the remaining events');
// When the last event of each identity has arrived, all have. What is missing after half a minute is lost.
const isOver = () => {
  const known = readJournal(readFileSync(file, 'utf8'));
  return identities.every(({ identity_id }) =>
    known.get(identity_id)?.entries.includes(sent.get(identity_id)! - 1),
  );
};
for (let i = 0; i < 30 && !isOver(); i++) await wait(1_000);

const stopped = answer<FromConsumer>(consumer);
const left = ended(consumer);
consumer.send({ kind: 'stop' } satisfies ToConsumer);
const figures = await stopped;
const exit = await Promise.race([left, wait(5_000).then(() => 'still running' as const)]);
let { sockets } = await ask<Answer<'report'>>({ kind: 'report' });
for (let i = 0; i < 20 && sockets > 0; i++) {
  await wait(100);
  ({ sockets } = await ask<Answer<'report'>>({ kind: 'report' }));
}
service.kill('SIGKILL');
consumer.kill('SIGKILL');

const text = readFileSync(file, 'utf8');
const journals = readJournal(text);
rmSync(folder, { recursive: true });
const results = identities.map(({ identity_id, isLossless }) => ({
  isLossless,
  ...evaluate(journals.get(identity_id) ?? { checkpoint: undefined, entries: [] }, sent.get(identity_id)!),
}));
const isPassed = printTable({
  longestSilence: highestFigure(text, 'silence'),
  maxRequestsPerMinute: highestFigure(text, 'maxRequests'),
  restarts: restartCount(text),
  plan,
  total,
  results,
  faults,
  figures,
  sockets,
  exit,
  disruptions: disruptions.map(({ name }) => name),
});
process.exitCode = isPassed ? 0 : 1;
