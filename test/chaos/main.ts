// npm run chaos: runs real processes on loopback under faults, kills and freezes, and counts lost events.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freeze, wait } from './child.js';
import { evaluate } from './evaluate.js';
import { startFollower } from './follower-process.js';
import { countOf, highestFigure, newJournal, readJournal } from './journal.js';
import type { ChaosPlan, TestIdentity } from './messages.js';
import { printTable } from './print-table.js';
import { startService } from './service-process.js';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '240' },
    seed: { type: 'string', default: '1' },
    events: { type: 'string', default: '100000' },
    faults: { type: 'string', default: '5000' },
  },
});
const seconds = Number(values.seconds);
const plan: ChaosPlan = {
  ...{ seconds, events: Number(values.events), faults: Number(values.faults) },
  ...{ kills: 6, consumerKills: 3, consumerThrows: 5, deadPools: 5, bulks: 3, bulk: 3_000 },
  ...{ retention: 15_000, blockTime: 1_000, deadline: 2_500 },
};

const folder = mkdtempSync(join(tmpdir(), 'chaos-'));
const startedAt = Date.now();
const log = (text: string) =>
  console.log(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${text}`);

const service = await startService(plan, Number(values.seed));
const { identities, port } = service;
const follower = (name: 'consumer' | 'visitor', isVisited: boolean) => {
  const file = join(folder, `${name}.ndjson`);
  const own = identities.filter(identity => identity.isVisited === isVisited);
  return { file, ...startFollower(name, { kind: 'start', port, identities: own, file, plan }) };
};
const consumer = follower('consumer', false);
const visitor = follower('visitor', true);
const textOf = ({ file }: { readonly file: string }) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
const journals = () => new Map([consumer, visitor].flatMap(one => [...readJournal(textOf(one))]));
/** Waits, at most half a minute, until something holds for the journals of all identities. */
async function untilAll(holds: (journal: ReturnType<typeof newJournal>, id: string) => boolean) {
  for (let i = 0; i < 60; i++) {
    const known = journals();
    if (identities.every(({ identity_id: id }) => known.has(id) && holds(known.get(id)!, id))) return;
    await wait(500);
  }
}
await untilAll(({ isReady }) => isReady);
log('all identities are followed');

/** When each event was sent, by its number. */
const sent = new Map(identities.map(({ identity_id }): [string, number[]] => [identity_id, []]));
let total = 0;
const nextEvent = ({ identity_id }: TestIdentity): [string, number] => {
  total++;
  return [identity_id, sent.get(identity_id)!.push(Date.now()) - 1];
};
const bulky = identities.filter(({ kind }) => kind === 'bulk');
let bulks = 0;
async function publishBulk(): Promise<void> {
  const half = bulky.length / 2;
  const nth = bulks++ % half;
  for (const identity of [bulky[nth]!, bulky[half + nth]!]) {
    const events = Array.from({ length: plan.bulk }, () => nextEvent(identity));
    await service.publish(events, identity.token);
  }
}
let throws = 0;
/** How many events are not sent as a part of a disruption. */
const steady = plan.events - plan.bulks * 2 * plan.bulk;

// The disruptions, spread over the events of the run.
const spread = (count: number, at: number, name: string, act: () => Promise<unknown>) =>
  Array.from({ length: count }, (_, i) => ({ at: (0.02 + (0.95 * (i + at)) / count) * steady, name, act }));
const disruptions = [
  ...spread(plan.kills, 0.3, 'service killed and restarted', service.restart),
  ...spread(plan.consumerKills, 0.6, 'consumer killed and resumed', consumer.kill),
  ...spread(plan.consumerThrows, 0.5, 'subscriber of the consumer threw', async () => {
    await service.publish(identities.map(nextEvent));
    if (await consumer.throwInSubscriber()) throws++;
  }),
  ...spread(plan.deadPools, 0.8, 'all connections dead', service.killConnections),
  ...spread(plan.bulks, 0.4, `two batches of ${plan.bulk}, repeated`, publishBulk),
  ...spread(3, 0.45, 'service frozen past the deadline', () =>
    freeze(service.child(), plan.deadline + 1_500),
  ),
  ...spread(1, 0.9, 'consumer and visitor frozen past the retention', async () => {
    const frozen = [consumer, visitor].map(({ child }) => freeze(child(), plan.retention + 3_000));
    await service.publish(identities.map(nextEvent));
    await Promise.all(frozen);
  }),
].sort((a, b) => a.at - b.at);

let began = Date.now();
let next = 0;
let published = 0;
while (published < steady) {
  const due = Math.min(steady, Math.ceil((steady * (Date.now() - began)) / 1000 / seconds));
  const events: [string, number][] = [];
  for (; published < due; published++) events.push(nextEvent(identities[published % identities.length]!));
  if (events.length > 0) await service.publish(events);
  const disruption = disruptions[next];
  if (disruption && published >= disruption.at) {
    next++;
    log(`${disruption.name} (${total.toLocaleString('en')} events sent)`);
    const before = Date.now();
    await disruption.act();
    began += Date.now() - before;
  }
  await wait(20);
}
await service.stopFaults();
log('faults stopped; waiting for the remaining events');
// When the last event of each identity has arrived, all have. What is missing after half a minute is lost.
await untilAll(({ entries }, id) => entries.includes(sent.get(id)!.length - 1));

const ended = { consumer: await consumer.stop(), visitor: await visitor.stop() };
let sockets = await service.sockets();
for (let i = 0; i < 20 && sockets > 0; i++) {
  await wait(100);
  sockets = await service.sockets();
}
service.child().kill('SIGKILL');

const text = textOf(consumer) + textOf(visitor);
const known = journals();
const isPassed = printTable({
  ...{ plan, total, throws, ended, sockets, faults: service.faults },
  longestSilence: highestFigure(text, 'silence'),
  maxRequestsPerMinute: highestFigure(text, 'maxRequests'),
  restarts: countOf(text, 'ended'),
  visits: countOf(text, 'visit'),
  results: identities.map(identity => {
    const journal = known.get(identity.identity_id) ?? newJournal();
    const { acknowledgedInVain } = journal;
    return { ...identity, acknowledgedInVain, ...evaluate(journal, sent.get(identity.identity_id)!) };
  }),
  disruptions: disruptions.map(({ name }) => name),
});
if (isPassed) rmSync(folder, { recursive: true });
else {
  writeFileSync(join(folder, 'sent.json'), JSON.stringify([...sent]));
  console.log(`What was sent, and the journals: ${folder}`);
}
process.exitCode = isPassed ? 0 : 1;
