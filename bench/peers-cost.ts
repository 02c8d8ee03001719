import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { roundsOf } from './measure.js';
import { PEERS, WIRES, type Peer } from './peers-protocol.js';
import { bounded, type Bound, type Report } from './report.js';
import { replyOf } from './service-process.js';
import { checkOpenFiles } from './watch-cost.js';

/** What the service is told: to publish events to its first logs in turn. `null`: all at once. */
export interface PublishCommand {
  readonly count: number;
  readonly perSecond: number | null;
  readonly logs: number;
}

/** How many polls it holds, and how many events it has published. */
export interface ServiceState {
  readonly held: number;
  readonly published: number;
}

/**
 * What a process that follows is told. `forget` what has come, `weigh` the memory, `list` the
 * latencies.
 */
export type FollowCommand =
  { readonly do: 'open'; readonly count: number } | { readonly do: 'state' | 'forget' | 'weigh' | 'list' };

/** CPU in µs so far, how many events have come, and what was asked for. */
export interface FollowerState {
  readonly cpu: number;
  readonly received: number;
  /** In MB. */
  readonly heap: number;
  readonly rss: number;
  readonly latencies: readonly number[];
}

/** Of a stream, in KB. */
interface Memory {
  readonly heap: number;
  readonly rss: number;
}

/** What a client takes. */
interface Cost extends Memory {
  /** Of an event to one of the streams, and of one to each of them at the same time, in µs. */
  readonly cpu: number;
  readonly cpuOfAll: number;
  /** How soon events to one of the streams come, in ms. */
  readonly p50: number;
  readonly p99: number;
  /** How soon an event to each of them has come to all, in ms. */
  readonly toAll: number;
}

const STREAMS = 1_000;
/** In each round, one event comes to all streams at once, and then one to each of them in turn. */
const ROUNDS = 10;
const PER_SECOND = 400;
/**
 * The first streams get events before anything is measured, so that code is compiled and buffers
 * have grown.
 */
const WARM_UP_STREAMS = 100;
const WARM_UP_EVENTS = 2_000;
const WARM_UP_ROUNDS = 5;
/**
 * The connections are opened in groups: a thousand at once would overflow the queue of the
 * listening socket.
 */
const GROUP = 100;

/**
 * What 1,000 streams and 20,000 events take each client, in a process of its own, beside a service
 * of its own. They take turns, so that other load on the machine affects all of them.
 */
export async function benchPeerCost(report: Report): Promise<void> {
  checkOpenFiles(STREAMS);
  const costs = new Map<Peer, Cost[]>();
  const pairs = new Map<Peer, Pair>();
  const memory = new Map<Peer, Memory>();
  try {
    for (const peer of PEERS) {
      const pair = await startPair(peer);
      pairs.set(peer, pair);
      costs.set(peer, []);
      memory.set(peer, await openAll(pair));
    }
    for (let round = 0; round < ROUNDS; round++) {
      for (const peer of round % 2 === 0 ? PEERS : [...PEERS].reverse())
        costs.get(peer)!.push({ ...memory.get(peer)!, ...(await costOf(pairs.get(peer)!)) });
    }
  } finally {
    for (const pair of pairs.values()) pair.end();
  }
  const streams = STREAMS.toLocaleString('en');
  const events = `${(2 * ROUNDS * STREAMS).toLocaleString('en')} events`;
  report.heading(`${streams} streams, ${events} of each client; × is beside the better of the two peers`);
  for (const { measure, text, unit, bounds } of MEASURES) {
    const figures = PEERS.map(peer => [peer, costs.get(peer)!.map(cost => cost[measure])] as const);
    const rounds = roundsOf(Object.fromEntries(figures) as Record<Peer, number[]>);
    const [better] = [...OTHERS].sort((a, b) => rounds.median(a) - rounds.median(b));
    for (const peer of PEERS) {
      const figure = { name: `${text}, ${peer}`, value: rounds.median(peer), unit };
      if (OTHERS.includes(peer)) report.add(figure);
      else report.add({ ...figure, ratio: rounds.ratio(peer, better!), ...bounded(bounds[peer]) });
    }
  }
}

const OTHERS: readonly Peer[] = ['@electric-sql/client', '@durable-streams/client'];

interface Measure {
  readonly measure: keyof Cost;
  readonly text: string;
  readonly unit: string;
  readonly bounds: Partial<Record<Peer, Bound>>;
}

/**
 * Each with its goal. What else runs on the machine changes the CPU time, and the delays still
 * more.
 */
const CPU = { watch: [1.5, 1], 'watch over node:http': [1, 0.4] } as const;
const HEAP = { watch: [1.2, 1], 'watch over node:http': [0.7, 0.5] } as const;
const DELAY = { watch: [3, 1], 'watch over node:http': [2, 1] } as const;

const MEASURES: readonly Measure[] = [
  { measure: 'cpuOfAll', text: 'CPU of an event, to all at once', unit: 'µs', bounds: CPU },
  { measure: 'cpu', text: 'CPU of an event, one by one', unit: 'µs', bounds: CPU },
  { measure: 'heap', text: 'heap of a stream', unit: 'KB', bounds: HEAP },
  { measure: 'rss', text: 'resident memory of a stream', unit: 'KB', bounds: {} },
  { measure: 'p50', text: 'half of the events come within', unit: 'ms', bounds: {} },
  { measure: 'p99', text: '99 of 100 come within', unit: 'ms', bounds: DELAY },
  { measure: 'toAll', text: 'one to all has come to all within', unit: 'ms', bounds: {} },
];

/** A service, and the process that follows its logs. */
class Pair {
  readonly #service: ChildProcess;
  readonly #follower: ChildProcess;
  #opened = 0;

  constructor(service: ChildProcess, follower: ChildProcess) {
    this.#service = service;
    this.#follower = follower;
  }

  async tell(command: FollowCommand): Promise<FollowerState> {
    return (await replyOf(this.#follower, command)) as FollowerState;
  }

  /** Opens more streams. Resolves when all of them have a poll that is held. */
  async open(count: number): Promise<void> {
    for (let left = count; left > 0; left -= GROUP) {
      await this.tell({ do: 'open', count: GROUP });
      this.#opened += GROUP;
      await this.#areHeld();
    }
  }

  /** Publishes events one by one, or one to each log at once. Resolves when all have come. */
  async publish(perSecond: number | null, count = this.#opened): Promise<FollowerState> {
    await this.tell({ do: 'forget' });
    await replyOf(this.#service, { count, perSecond, logs: this.#opened } satisfies PublishCommand);
    let state = await this.tell({ do: 'state' });
    while (state.received < count) {
      await pause(50);
      state = await this.tell({ do: 'state' });
    }
    await this.#areHeld();
    if (state.received > count) throw new Error(`${state.received} events came, of ${count}`);
    return state;
  }

  end(): void {
    this.#follower.disconnect();
    this.#service.disconnect();
  }

  async #areHeld(): Promise<void> {
    const deadline = Date.now() + 60_000;
    let held = NaN;
    while (held !== this.#opened) {
      if (Date.now() > deadline) throw new Error(`${held} of ${this.#opened} polls are held`);
      ({ held } = (await replyOf(this.#service, {})) as ServiceState);
      if (held !== this.#opened) await pause(5);
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms));
}

async function startPair(peer: Peer): Promise<Pair> {
  const service = fork(join(import.meta.dirname, 'peers-service.mjs'), [WIRES[peer]]);
  const { port } = (await replyOf(service)) as { readonly port: number };
  const program = join(import.meta.dirname, 'peers-watcher.mjs');
  const args = [peer, `http://127.0.0.1:${port}`];
  return new Pair(service, fork(program, args, { execArgv: ['--expose-gc'] }));
}

/** Opens all streams, and says what each of them takes while nothing happens. */
async function openAll(pair: Pair): Promise<Memory> {
  await pair.open(WARM_UP_STREAMS);
  await pair.publish(PER_SECOND, WARM_UP_EVENTS);
  const before = await pair.tell({ do: 'weigh' });
  await pair.open(STREAMS - WARM_UP_STREAMS);
  const after = await pair.tell({ do: 'weigh' });
  for (let i = 0; i < WARM_UP_ROUNDS; i++) await pair.publish(null);
  const kilobytesOfEach = 1024 / (STREAMS - WARM_UP_STREAMS);
  return {
    heap: (after.heap - before.heap) * kilobytesOfEach,
    rss: (after.rss - before.rss) * kilobytesOfEach,
  };
}

/** One round. */
async function costOf(pair: Pair): Promise<Omit<Cost, keyof Memory>> {
  const before = await pair.tell({ do: 'state' });
  await pair.publish(null);
  const { latencies: ofAll, cpu } = await pair.tell({ do: 'list' });
  const end = await pair.publish(PER_SECOND);
  const { latencies } = await pair.tell({ do: 'list' });
  const sorted = [...latencies].sort((a, b) => a - b);
  return {
    cpuOfAll: (cpu - before.cpu) / STREAMS,
    cpu: (end.cpu - cpu) / STREAMS,
    p50: sorted[STREAMS >> 1]! / 1_000,
    p99: sorted[Math.floor(STREAMS * 0.99)]! / 1_000,
    toAll: Math.max(...ofAll) / 1_000,
  };
}
