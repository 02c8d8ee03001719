import {
  BY_HAND,
  compareFeeds,
  endFollowing,
  FEED,
  followByLoop,
  followers,
  followInBatches,
  OFFICIAL,
  OVER_HTTP,
  POLLING,
  type Follower,
} from './followers.js';
import { interleaved, roundsOf } from './measure.js';
import { bounded, type Bound, type Report } from './report.js';
import { startService, type ServiceProcess } from './service-process.js';

/** So many batches come in a round, of so many events each, of about 1.9 KB. */
interface Load {
  readonly size: number;
  readonly batches: number;
  /** How many times as long as in the loop by hand an event may take. */
  readonly bound: Bound;
}
const LOADS: readonly Load[] = [
  { size: 1, batches: 150, bound: [2.2, 1.5] },
  { size: 10, batches: 100, bound: [2, 1.5] },
  { size: 50, batches: 50, bound: [2.2, 1.5] },
  { size: 60, batches: 40, bound: [2.2, 1.5] },
  { size: 200, batches: 15, bound: [2, 1.5] },
];
/** Many short rounds: what else runs on the machine changes less within one of them. */
const ROUNDS = 25;
/** A watch lives long: what counts is what an event costs once the code has been optimized. */
const WARM_UP = 8;

/** A feed beside all others, in fewer rounds: some take long. */
const PEERS_LOAD = { size: 50, batches: 50 };
const PEERS_ROUNDS = 7;
const PEERS_WARM_UP = 3;

/** What an event takes if events are there as fast as they can be taken. */
export async function benchThroughput(report: Report): Promise<void> {
  const service = await startService();
  await compareLoads(service, report);
  await comparePeers(service, report);
  service.stop();
}

/**
 * What is done for each answer, or only from some size of an answer on, shows in one of the sizes.
 */
async function compareLoads(service: ServiceProcess, report: Report): Promise<void> {
  const following = { ours: followInBatches(service.url), loop: followByLoop(service.url) };
  report.heading('An event, if they come as fast as they can be taken; × is beside a loop by hand');
  for (const load of LOADS) {
    const cpus = { ours: [] as number[], loop: [] as number[] };
    const measure = (name: keyof typeof cpus) => async () => {
      const { time, cpu } = await perEvent(service, following[name], load);
      cpus[name].push(cpu);
      return time;
    };
    const time = await interleaved(
      { ours: measure('ours'), loop: measure('loop') },
      { rounds: ROUNDS, warmUp: WARM_UP },
    );
    const cpu = roundsOf({ ours: cpus.ours.slice(WARM_UP), loop: cpus.loop.slice(WARM_UP) });
    for (const [text, rounds, bound] of [
      ['time', time, load.bound],
      ['CPU', cpu, undefined],
    ] as const) {
      report.row(`${load.size} a batch, ${text}: a loop by hand`, rounds.median('loop'), 'µs');
      report.add({
        name: `${load.size} a batch, ${text}: client.events.batches()`,
        value: rounds.median('ours'),
        unit: 'µs',
        ratio: rounds.ratio('ours', 'loop'),
        ...bounded(bound),
      });
    }
  }
}

async function comparePeers(service: ServiceProcess, report: Report): Promise<void> {
  const contenders = Object.entries(followers(service.url)).map(
    ([name, follow]) => [name, async () => (await perEvent(service, follow, PEERS_LOAD)).time] as const,
  );
  const rounds = await interleaved(Object.fromEntries(contenders), {
    rounds: PEERS_ROUNDS,
    warmUp: PEERS_WARM_UP,
  });
  report.heading(`The time of an event of a feed, beside others, ${PEERS_LOAD.size} a batch`);
  compareFeeds(report, rounds, {
    ...Object.fromEntries(rounds.names.map((name): [string, Bound] => [name, [2.6, 1]])),
    [BY_HAND]: [2.6, 1.1],
    [OVER_HTTP]: [2.4, 1.1],
    [POLLING]: 1.15,
    [OFFICIAL]: 1,
  });
  report.row('lobby-rx, events a second', 1_000_000 / rounds.median(FEED), '/s');
}

/**
 * From the first to the last batch: the time, and the CPU time of this process, in µs per event.
 */
async function perEvent(
  service: ServiceProcess,
  follow: Follower,
  { size, batches }: Pick<Load, 'size' | 'batches'>,
): Promise<{ readonly time: number; readonly cpu: number }> {
  const expected = batches * size;
  const now = () => ({ time: Number(process.hrtime.bigint()) / 1_000, cpu: process.cpuUsage() });
  let received = 0;
  let start = now();
  let end = start;
  let haveCome: () => void = () => undefined;
  // The service is not asked how far it is meanwhile: that would take time, too.
  const allHaveCome = new Promise<void>(resolve => {
    haveCome = resolve;
  });
  const stop = follow(count => {
    if (received === 0) start = now();
    received += count;
    if (received < expected) return;
    end = now();
    haveCome();
  });
  await service.holds(1);
  await service.publish(batches, size);
  await allHaveCome;
  await service.holds(1);
  if (received !== expected) throw new Error(`${received} events came`);
  await endFollowing(service, stop);
  const cpu = end.cpu.user + end.cpu.system - start.cpu.user - start.cpu.system;
  return { time: (end.time - start.time) / (expected - size), cpu: cpu / (expected - size) };
}
