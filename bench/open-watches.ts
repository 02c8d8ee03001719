import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { roundsOf, type Rounds } from './measure.js';
import { bounded, type Bound, type Report } from './report.js';
import { replyOf, startService, type ServiceProcess } from './service-process.js';

/** What a watcher opens: loops by hand, watches of one client, of one over node:http, a client for each, which may share a transport, or official ones. */
export type WatchKind = 'byHand' | 'batches' | 'overHttp' | 'clients' | 'clientsOfTheirOwn' | 'official';

/** What a watcher is told. It always replies with its figures. */
export type WatcherCommand = { readonly open: number } | { readonly memory: true } | { readonly cpu: true };

/** CPU time in µs so far, events received, and after `memory` the heap and the resident set, in MB. */
export interface WatcherReply {
  readonly cpu: number;
  readonly received: number;
  readonly heap: number;
  readonly rss: number;
}

const ROUNDS = 3;
/** What is only reported needs one round. */
const REPORTED: readonly WatchKind[] = ['overHttp', 'clientsOfTheirOwn', 'official'];
/** The connections are opened in groups: a thousand at once would overflow the queue of the listening socket. */
const GROUP = 250;
/** So many are opened, and get events, before anything is measured: code is compiled and buffers grow. */
const WARM_UP = 100;
const WARM_UP_EVENTS = 5;
const EVENTS = 2;
const IDLE = 1_500;

const NAMES: Record<WatchKind, string> = {
  byHand: 'cross-fetch loops, by hand',
  batches: 'client.events.batches(), one client',
  overHttp: 'client.events.batches(), one client with fromHttp()',
  clients: 'a feed and a client each, one transport',
  clientsOfTheirOwn: 'a feed, a client and a transport each',
  official: 'the official client in loops',
};
const KINDS = Object.keys(NAMES) as WatchKind[];

type Bounds = Partial<Record<WatchKind, Bound>>;
const measures = {
  heap: { text: 'heap', unit: 'KB', bounds: { batches: [2.6, 2.2], overHttp: 2.2, clients: [3.2, 2.7] } },
  rss: { text: 'resident memory', unit: 'KB', bounds: {} },
  start: {
    text: 'CPU to start',
    unit: 'µs',
    bounds: { batches: [3, 1.5], overHttp: [2.2, 1.5], clients: [3.4, 1.5] },
  },
  event: {
    text: 'CPU of an event to all',
    unit: 'µs',
    bounds: { batches: [2.8, 1.5], overHttp: [2, 1.5], clients: [3.2, 1.5] },
  },
  idle: { text: 'CPU of a second without events', unit: 'µs', bounds: {} },
} satisfies Record<string, { text: string; unit: string; bounds: Bounds }>;
type Measure = keyof typeof measures;

/** What thousands of polls that wait cost the process that holds them, each kind in fresh processes. */
export async function benchOpenWatches(report: Report, count: number): Promise<void> {
  const files = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim();
  if (Number(files) < count + WARM_UP + 100) {
    throw new Error(`${count} watches need as many open files, and only ${files} are allowed: see ulimit -n`);
  }
  const results = {} as Record<Measure, Record<WatchKind, number[]>>;
  for (const measure of Object.keys(measures) as Measure[]) {
    results[measure] = {
      batches: [],
      overHttp: [],
      clients: [],
      clientsOfTheirOwn: [],
      byHand: [],
      official: [],
    };
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const kind of round % 2 === 0 ? KINDS : [...KINDS].reverse()) {
      if (round > 0 && REPORTED.includes(kind)) continue;
      const service = await startService();
      const figures = await measureWatches(service, kind, count);
      for (const measure of Object.keys(measures) as Measure[]) results[measure][kind].push(figures[measure]);
      service.stop();
    }
  }
  report.heading(`${count.toLocaleString('en')} open watches, each; × is beside the loops by hand`);
  for (const measure of Object.keys(measures) as Measure[]) add(report, measure, roundsOf(results[measure]));
}

/** Here each other kind is compared with what is written by hand. */
function add(report: Report, measure: Measure, rounds: Rounds<WatchKind>): void {
  const { text, unit } = measures[measure];
  const bounds: Bounds = measures[measure].bounds;
  for (const kind of KINDS) {
    const figure = { name: `${text}, ${NAMES[kind]}`, value: rounds.median(kind), unit };
    // Nothing is done then, and the ratio of two figures near zero would say nothing.
    if (kind === 'byHand' || measure === 'idle') report.add(figure);
    else report.add({ ...figure, ratio: rounds.ratio(kind, 'byHand'), ...bounded(bounds[kind]) });
  }
}

async function measureWatches(service: ServiceProcess, kind: WatchKind, count: number) {
  const child = fork(join(import.meta.dirname, 'watcher.mjs'), [kind, service.url], {
    execArgv: ['--expose-gc'],
  });
  const tell = async (command: WatcherCommand) => (await replyOf(child, command)) as WatcherReply;
  let [opened, events] = [0, 0];
  const open = async (to: number) => {
    while (opened < to) {
      const group = Math.min(GROUP, to - opened);
      opened += group;
      await tell({ open: group });
      await service.holds(opened);
    }
  };
  const publish = async () => {
    await service.publish(1, 1);
    events += opened;
    // The service may hold none of them before it has answered all, and holds them all when each has polled again.
    while ((await tell({ cpu: true })).received < events) await pause(5);
    await service.holds(opened);
  };

  await open(WARM_UP);
  for (let i = 0; i < WARM_UP_EVENTS; i++) await publish();
  const before = await tell({ memory: true });
  const atStart = await tell({ cpu: true });
  await open(WARM_UP + count);
  const started = await tell({ cpu: true });
  const after = await tell({ memory: true });
  const idleFrom = await tell({ cpu: true });
  await pause(IDLE);
  const idleTo = await tell({ cpu: true });
  for (let i = 0; i < EVENTS; i++) await publish();
  const afterEvents = await tell({ cpu: true });
  child.disconnect();
  await once(child, 'exit');
  return {
    heap: ((after.heap - before.heap) * 1024) / count,
    rss: ((after.rss - before.rss) * 1024) / count,
    start: (started.cpu - atStart.cpu) / count,
    event: (afterEvents.cpu - idleTo.cpu) / EVENTS / opened,
    idle: (idleTo.cpu - idleFrom.cpu) / (IDLE / 1_000) / count,
  };
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms));
}
