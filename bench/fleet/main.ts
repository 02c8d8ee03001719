// npm run bench:fleet: what it costs to follow identities by a fleet on NATS, beside one process
// without it. The processes share the cores of this machine, so that more workers show what they
// add, and not what more machines would bring.
import { fork, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { connect } from '@nats-io/transport-node';
import { merge, Subscription, tap, timer } from 'rxjs';
import { fleetBatches, fleetFeed } from 'lobby-rx/fleet';
import { openFleetToWork } from '../../src/integrations/fleet/nats/index.js';
import { bundled } from '../../test/bundled.js';
import type {
  FollowerFigures,
  FromFollower,
  FromService,
  ToAppender,
  ToFollower,
  ToService,
} from './messages.js';
import { scale } from './scale.js';

const { values } = parseArgs({
  options: {
    idle: { type: 'string', default: '10000' },
    memory: { type: 'string' },
    beside: { type: 'string' },
    ack: { type: 'string' },
    scale: { type: 'boolean', default: false },
    processes: { type: 'boolean', default: false },
    takeover: { type: 'string' },
    saturation: { type: 'string' },
  },
});
const IDLE = Number(values.idle);
if (spawnSync('nats-server', ['--version']).error) {
  console.error(
    'npm run bench:fleet: nats-server was not found; install it, on Debian with: apt-get install nats-server',
  );
  process.exit(2);
}

const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));
const row = (name: string, ...cells: readonly string[]) => {
  console.log(`  ${name.padEnd(34)}${cells.map(cell => cell.padStart(16)).join('')}`);
};

/** A process of this benchmark. */
class Part<To extends object, From extends { readonly kind: string }> {
  readonly #child: ChildProcess;

  /** `of` is the folder of a clone of this repository. */
  constructor(program: 'service' | 'follower' | 'appender', of = join(import.meta.dirname, '../..')) {
    // As it is published, without a loader of TypeScript.
    this.#child = fork(bundled(join(of, `bench/fleet/${program}.ts`)), { execArgv: ['--expose-gc'] });
  }

  /** The bytes of memory that it takes of the machine. */
  get rss(): number {
    const [, pages] = readFileSync(`/proc/${this.#child.pid}/statm`, 'utf8').split(' ');
    return Number(pages) * 4_096;
  }

  send(message: To): void {
    this.#child.send(message);
  }

  on(listener: (message: From) => void): void {
    this.#child.on('message', listener);
  }

  next<K extends From['kind']>(kind: K): Promise<Extract<From, { kind: K }>> {
    return new Promise(resolve => {
      const listen = (message: From) => {
        if (message.kind !== kind) return;
        this.#child.off('message', listen);
        resolve(message as Extract<From, { kind: K }>);
      };
      this.#child.on('message', listen);
    });
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

/**
 * How many identities a process of the service answers for at most. A process may have 20,000
 * descriptors.
 */
const MAX_IDENTITIES = 9_000;

/** The service, of which each process answers for a part of the identities. */
class Service {
  readonly #parts: readonly Part<ToService, FromService>[];
  readonly #of: number;

  constructor(identities: number) {
    const parts = Math.ceil(identities / MAX_IDENTITIES);
    this.#of = Math.ceil(identities / parts);
    this.#parts = Array.from({ length: parts }, () => new Part<ToService, FromService>('service'));
  }

  async start(blockTime: number) {
    // By their seeds, no two have the same identities.
    const starting = this.#parts.map((part, seed) => {
      part.send({ kind: 'start', seed, identities: this.#of, blockTime });
      return part.next('started');
    });
    return (await Promise.all(starting)).flatMap(({ identities }) => identities);
  }

  /** Publishes from one process. */
  publish(perSecond: number, time: number) {
    const [part] = this.#parts;
    part!.send({ kind: 'publish', perSecond, time });
    return part!.next('published');
  }

  /** How many polls it holds. */
  async held(): Promise<number> {
    const counting = this.#parts.map(part => {
      part.send({ kind: 'polls' });
      return part.next('polls');
    });
    return (await Promise.all(counting)).reduce((total, { held }) => total + held, 0);
  }

  /** Waits until it holds this many polls. */
  async holds(count: number): Promise<void> {
    while ((await this.held()) < count) await wait(200);
  }

  kill(): void {
    for (const part of this.#parts) part.kill();
  }
}

type Follower = Part<ToFollower, FromFollower>;

function figuresOf(part: Part<{ readonly kind: 'figures' }, FromFollower>): Promise<FollowerFigures> {
  part.send({ kind: 'figures' });
  return part.next('figures');
}

async function startNats() {
  const folder = mkdtempSync(join(tmpdir(), 'lobby-rx-bench-'));
  const file = join(folder, 'nats.conf');
  writeFileSync(file, `listen: "127.0.0.1:-1"\njetstream { store_dir: "${join(folder, 'nats')}" }\n`);
  const server = spawn('nats-server', ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  const port = await new Promise<number>(resolve =>
    server.stderr.on('data', (data: Buffer) => {
      log += data.toString();
      const port = /client connections on 127\.0\.0\.1:(\d+)/.exec(log)?.[1];
      if (port !== undefined && log.includes('Server is ready')) resolve(Number(port));
    }),
  );
  const stop = () => {
    server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  return { port, stop };
}

/**
 * Runs something with a service, followers, and a NATS server unless there is only one process
 * without it.
 */
async function withFollowers<T>(
  config: {
    readonly identities: number;
    readonly blockTime: number;
    readonly workers: number;
    readonly lease?: number;
    /** Whether it is used from the start, and not only when all are followed. */
    readonly isWatched?: boolean;
    /** The clone of this repository whose workers follow. */
    readonly of?: string | undefined;
  },
  use: (service: Service, followers: readonly Follower[], nats: number) => Promise<T>,
): Promise<T> {
  const { identities: count, blockTime, workers, lease = 10_000 } = config;
  const service = new Service(count);
  const identities = await service.start(blockTime);
  const nats = workers > 0 ? await startNats() : undefined;
  const followers = Array.from(
    { length: Math.max(1, workers) },
    () => new Part<ToFollower, FromFollower>('follower', config.of),
  );
  for (const [i, follower] of followers.entries()) {
    // One address has too few ports for tens of thousands of connections to the same service.
    const from = `127.0.0.${i + 2}`;
    follower.send({ kind: 'start', name: `worker-${i}`, nats: nats?.port, lease, identities, from });
  }
  try {
    const port = nats?.port ?? 0;
    if (config.isWatched) return await use(service, followers, port);
    await service.holds(count);
    // Until shards have moved to the worker that came last.
    await wait(3_000);
    await service.holds(count);
    return await use(service, followers, port);
  } finally {
    for (const part of [service, ...followers]) part.kill();
    nats?.stop();
  }
}

/** The least that a fleet can do: messages are appended in order, and nothing is polled. */
async function appends(): Promise<void> {
  const nats = await startNats();
  const appender = new Part<ToAppender, FromFollower>('appender');
  const before = await figuresOf(appender);
  appender.send({ kind: 'append', nats: nats.port, subjects: 300, perSecond: 3_000, time: 15_000 });
  await wait(16_000);
  const { events, cpu } = await figuresOf(appender);
  appender.kill();
  nats.stop();
  const rate = String(Math.round(events / 15));
  row('appends only, without the service', rate, `${((cpu - before.cpu) / events).toFixed(0)} µs`);
}

const all = (followers: readonly Follower[]) => Promise.all(followers.map(follower => figuresOf(follower)));
const sum = (figures: readonly FollowerFigures[], of: 'events' | 'cpu' | 'messages') =>
  figures.reduce((total, figure) => total + figure[of], 0);
const nameOf = (workers: number) =>
  workers === 0 ? 'one process, without NATS' : `${workers} worker${workers > 1 ? 's' : ''}`;

if (values.scale) {
  console.log(
    '\nWorkers that share shards, a lease of 10 s; × is beside the least that has to move when another one joins',
  );
  row('', 'all owned', 'fair', 'assigned', 'moved', 'heard/s', 'said/s');
  for (const apart of [0, 1_000]) {
    for (const workers of [10, 40, 100]) {
      for (const shards of [256, 4_096]) {
        const nats = await startNats();
        const figures = await scale(nats.port, workers, shards, apart);
        nats.stop();
        const least = Math.floor(shards / (workers + 1));
        row(
          `${workers} × ${shards}, ${apart === 0 ? 'all at once' : 'one a second'}`,
          `${figures.owned.toFixed(1)} s`,
          `${figures.fair.toFixed(1)} s`,
          `${(figures.assigned / shards).toFixed(2)} ×`,
          `${(figures.moved / least).toFixed(2)} ×`,
          figures.heard.toFixed(2),
          figures.said.toFixed(2),
        );
      }
    }
  }
  process.exit();
}

if (values.processes) {
  console.log('\n20 workers in processes of their own, 2,560 identities without events, polls held for 40 s');
  row('', 'all followed', 'NATS messages/s', 'CPU of each');
  const startedAt = Date.now();
  await withFollowers({ identities: 2_560, blockTime: 40_000, workers: 20 }, async (_, followers) => {
    const followed = (Date.now() - startedAt) / 1_000;
    const before = await all(followers);
    await wait(30_000);
    const after = await all(followers);
    const each = (of: 'cpu' | 'messages') => (sum(after, of) - sum(before, of)) / followers.length / 30;
    row(
      '',
      `${followed.toFixed(1)} s`,
      each('messages').toFixed(2),
      `${(each('cpu') / 10_000).toFixed(1)} %`,
    );
  });
  process.exit();
}

if (values.memory !== undefined) {
  const clones = [undefined, ...(values.beside === undefined ? [] : [resolve(values.beside)])];
  console.log('\nIdentities without events in one worker, polls held for 40 s');
  row('', 'heap of each', 'RSS of each');
  for (const of of clones) {
    const config = { blockTime: 40_000, workers: 1, of };
    const memory = async (_: Service, [follower]: readonly Follower[]) => {
      const { heap } = await figuresOf(follower!);
      return { heap, rss: follower!.rss };
    };
    const empty = await withFollowers({ ...config, identities: 1 }, memory);
    for (const identities of values.memory.split(',').map(Number)) {
      const full = await withFollowers({ ...config, identities }, memory);
      const each = (name: 'heap' | 'rss') =>
        `${((full[name] - empty[name]) / identities / 1_024).toFixed(1)} KB`;
      row(`${identities}, ${of ?? 'this clone'}`, each('heap'), each('rss'));
    }
  }
  process.exit();
}

if (values.ack !== undefined) {
  const ms = Number(values.ack);
  console.log(`\nA process reads what 1,000 identities have stored; each ack takes ${ms} ms`);
  row('', 'batches/s', 'CPU');
  await withFollowers({ identities: 1_000, blockTime: 40_000, workers: 1 }, async (service, _, port) => {
    await service.publish(2_000, 20_000);
    const nats = await connect({ servers: `127.0.0.1:${port}` });
    const all = [undefined];
    const shards = Array.from({ length: 256 }, (_, shard) => ({ shard }));
    for (const [name, parts] of [['one consumer', all] as const, ['one of each shard', shards] as const]) {
      let acked = 0;
      const ack = () => timer(ms).pipe(tap(() => acked++));
      const consuming = merge(
        ...parts.map(of => fleetBatches({ nats, from: 0, ack, ...(of ? { of } : {}) })),
      ).subscribe();
      await wait(2_000);
      const before = process.cpuUsage();
      const start = acked;
      await wait(5_000);
      const { user, system } = process.cpuUsage(before);
      row(name, String(Math.round((acked - start) / 5)), `${((user + system) / 50_000).toFixed(0)} %`);
      consuming.unsubscribe();
    }
    await nats.close();
  });
  process.exit();
}

if (values.takeover !== undefined) {
  const identities = Number(values.takeover);
  console.log(
    `\n${identities.toLocaleString('en')} identities, 2 workers with a lease of 10 s: one is killed`,
  );
  row('', 'all polled again');
  await withFollowers({ identities, blockTime: 40_000, workers: 2 }, async (service, followers) => {
    await wait(20_000);
    followers[0]!.kill();
    const killedAt = Date.now();
    // Until the service has noticed.
    await wait(1_000);
    await service.holds(identities);
    row('', `${((Date.now() - killedAt) / 1_000).toFixed(1)} s`);
  });
  process.exit();
}

if (values.saturation !== undefined) {
  const identities = Number(values.saturation);
  console.log(
    `\n${identities.toLocaleString('en')} identities without events, 7 workers: polls that are held`,
  );
  const config = { identities, blockTime: 40_000, workers: 7, isWatched: true };
  await withFollowers(config, async service => {
    const startedAt = Date.now();
    for (let held = 0; Date.now() - startedAt < 600_000 && held < identities;) {
      await wait(10_000);
      held = await service.held();
      row(`after ${Math.round((Date.now() - startedAt) / 1_000)} s`, held.toLocaleString('en'));
    }
  });
  process.exit();
}

console.log(
  '\n300 identities, 3,000 events a second are offered for 15 s; CPU of the processes that follow them',
);
row('', 'events/s', 'CPU an event');
await appends();
for (const workers of [0, 1, 3]) {
  await withFollowers(
    { identities: 300, blockTime: 40_000, workers, lease: 2_500 },
    async (service, followers) => {
      const before = await all(followers);
      const startedAt = Date.now();
      const { count } = await service.publish(3_000, 15_000);
      let after = await all(followers);
      while (sum(after, 'events') - sum(before, 'events') < count && Date.now() - startedAt < 60_000) {
        await wait(100);
        after = await all(followers);
      }
      const events = sum(after, 'events') - sum(before, 'events');
      const cpu = (sum(after, 'cpu') - sum(before, 'cpu')) / events;
      row(
        nameOf(workers),
        String(Math.round((events * 1_000) / (Date.now() - startedAt))),
        `${cpu.toFixed(0)} µs`,
      );
    },
  );
}

console.log('\nOne of 3 workers is killed: until another one has taken its last shard');
row('lease', 'first shard', 'last shard');
for (const lease of [2_000, 5_000, 10_000]) {
  await withFollowers({ identities: 300, blockTime: 40_000, workers: 3, lease }, async (_, followers) => {
    // Until all workers have heard each other.
    await wait(2 * lease);
    const taken: number[] = [];
    let killedAt = 0;
    for (const follower of followers) {
      follower.on(message => {
        if (message.kind === 'assigned' && message.from !== undefined) taken.push(Date.now() - killedAt);
      });
    }
    killedAt = Date.now();
    followers[0]!.kill();
    await wait(2 * lease + 2_000);
    const seconds = (ms: number | undefined) => (ms === undefined ? 'never' : `${(ms / 1_000).toFixed(1)} s`);
    row(`${lease / 1_000} s`, seconds(taken[0]), seconds(taken.at(-1)));
  });
}

console.log(`\n${IDLE.toLocaleString('en')} identities without events, polls held for 40 s, in one process`);
row('', 'heap of each', 'CPU', 'NATS messages/s');
for (const workers of [0, 1]) {
  const empty = await withFollowers({ identities: 1, blockTime: 40_000, workers }, (_, [follower]) =>
    figuresOf(follower!),
  );
  await withFollowers({ identities: IDLE, blockTime: 40_000, workers }, async (_, [follower]) => {
    const before = await figuresOf(follower!);
    await wait(60_000);
    const after = await figuresOf(follower!);
    const heap = (after.heap - empty.heap) / IDLE / 1_024;
    const cpu = (after.cpu - before.cpu) / 60_000_000;
    const messages = (after.messages - before.messages) / 60;
    row(nameOf(workers), `${heap.toFixed(1)} KB`, `${(cpu * 100).toFixed(1)} %`, messages.toFixed(1));
  });
}

console.log(`\n${IDLE.toLocaleString('en')} feeds of identities without events, in this process`);
row('', 'heap of each', 'CPU', 'consumers made');
{
  const nats = await startNats();
  const connection = await connect({ servers: `127.0.0.1:${nats.port}` });
  await openFleetToWork({ nats: connection, lease: 10_000 });
  let consumers = 0;
  connection.subscribe('$JS.EVENT.ADVISORY.CONSUMER.CREATED.>', {
    callback: () => {
      consumers++;
    },
  });
  global.gc?.();
  const heap = process.memoryUsage().heapUsed;
  const following = new Subscription();
  for (let i = 0; i < IDLE; i++) {
    const feed = fleetFeed({ nats: connection, identity_id: `identity-${i}` });
    following.add(feed.all$.subscribe());
    if (i % 100 === 0) await wait(10);
  }
  await wait(5_000);
  global.gc?.();
  const each = (process.memoryUsage().heapUsed - heap) / IDLE / 1_024;
  const before = process.cpuUsage();
  // Longer than it takes until each has looked whether it has missed something.
  await wait(90_000);
  const { user, system } = process.cpuUsage(before);
  row('', `${each.toFixed(1)} KB`, `${((user + system) / 900_000).toFixed(1)} %`, String(consumers));
  following.unsubscribe();
  await connection.close();
  nats.stop();
}
