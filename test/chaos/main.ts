// npm run chaos: runs real processes on loopback under faults, kills and freezes, and counts lost
// events.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { aheadOfPace, mostInAMinute } from './ahead-of-pace.js';
import { wait } from './child.js';
import { planDisruptions } from './disruptions.js';
import { evaluate } from './evaluate.js';
import { startFollower } from './follower-process.js';
import { countOf, longestSilence, newJournal, readJournal } from './journal.js';
import type { ChaosPlan, FollowerName, RoutedIdentity, TestIdentity } from './messages.js';
import { printTable } from './print-table.js';
import { startProxies } from './proxy-process.js';
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
  seconds,
  events: Number(values.events),
  faults: Number(values.faults),
  kills: 6,
  consumerKills: 3,
  consumerThrows: 5,
  deadPools: 5,
  bulks: 3,
  bulk: 2_000,
  retention: 20_000,
  blockTime: 1_000,
  timeout: 2_500,
  minInterval: 100,
  outages: 2,
  outage: 23_000,
  starvations: 3,
  starvation: 6_000,
};

const folder = mkdtempSync(join(tmpdir(), 'chaos-'));
const startedAt = Date.now();
const log = (text: string) =>
  console.log(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${text}`);

const service = await startService(plan, Number(values.seed));
const proxies = await startProxies(service.port);
const identities = service.identities.map((identity, i): RoutedIdentity => {
  return { ...identity, port: proxies.ports[i % proxies.ports.length]! };
});
const follower = (name: FollowerName) => {
  const file = join(folder, `${name}.ndjson`);
  const own = identities.filter(({ followedBy }) => followedBy === name);
  return { file, ...startFollower(name, { kind: 'start', identities: own, file, plan }) };
};
const followers = {
  consumer: follower('consumer'),
  visitor: follower('visitor'),
  returner: follower('returner'),
};
const textOf = ({ file }: { readonly file: string }) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
const journals = () => new Map(Object.values(followers).flatMap(one => [...readJournal(textOf(one))]));
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
const running: Promise<unknown>[] = [];
const { disruptions, steady, throws } = planDisruptions({
  plan,
  service,
  proxies,
  followers,
  identities,
  nextEvent,
  inBackground: act => void running.push(act),
});

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
await Promise.all(running);
await service.stopFaults();
log('faults stopped; waiting for the remaining events');
// When the last event of each identity has arrived, all have. What is missing after half a minute
// is lost.
await untilAll(({ entries }, id) => entries.includes(sent.get(id)!.length - 1));

const ended = {
  consumer: await followers.consumer.stop(),
  visitor: await followers.visitor.stop(),
  returner: await followers.returner.stop(),
};
const countSockets = async () => (await service.sockets()) + (await proxies.report()).sockets;
let sockets = await countSockets();
for (let i = 0; i < 20 && sockets > 0; i++) {
  await wait(100);
  sockets = await countSockets();
}
const { seen } = await proxies.report();
proxies.stop();
service.child().kill('SIGKILL');

const text = Object.values(followers).map(textOf).join('');
const known = journals();
const isPassed = printTable({
  plan,
  total,
  throws: throws(),
  ended,
  sockets,
  faults: service.faults,
  longestSilence: longestSilence(text),
  restarts: countOf(text, 'ended'),
  visits: countOf(text, 'visit'),
  results: identities.map(identity => {
    const journal = known.get(identity.identity_id) ?? newJournal();
    const requests = seen.filter(([token]) => token === identity.token);
    return {
      ...identity,
      ...evaluate(journal, sent.get(identity.identity_id)!),
      acknowledgedInVain: journal.acknowledgedInVain,
      requests: requests.length,
      inAMinute: mostInAMinute(requests),
      ahead: aheadOfPace(requests, journal, plan),
    };
  }),
  disruptions: disruptions.map(({ name }) => name),
});
if (isPassed) rmSync(folder, { recursive: true });
else {
  writeFileSync(join(folder, 'sent.json'), JSON.stringify([...sent]));
  writeFileSync(join(folder, 'requests.json'), JSON.stringify(seen));
  console.log(`What was sent, the requests and the journals: ${folder}`);
}
process.exitCode = isPassed ? 0 : 1;
