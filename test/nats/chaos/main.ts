// npm run test:fleet: workers in processes of their own, a NATS server and a service, all of which
// are disturbed; counts what is lost.
// npm run chaos:fleet: the same with a cluster of three NATS servers.
import { parseArgs } from 'node:util';
import { jetstreamManager } from '@nats-io/jetstream';
import { EMPTY, type Subscription } from 'rxjs';
import { createEmulator, listen } from 'lobby-rx/emulator';
import { fleetBatches, type FleetEvent } from 'lobby-rx/fleet';
import { SERVERS, startNatsServer, versionOf, type NatsServer } from '../nats-server.js';
import { OPERATOR, startCluster } from './cluster.js';
import { Ledger } from './ledger.js';
import { Workers } from './workers.js';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '30000' },
    identities: { type: 'string', default: '300' },
    lease: { type: 'string', default: '4000' },
    perSecond: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    cluster: { type: 'boolean', default: false },
  },
});
const [events, identities, lease, perSecond] = [
  values.events,
  values.identities,
  values.lease,
  values.perSecond,
].map(Number) as [number, number, number, number];
/** An answer with one of these events is larger than a message of the server may be. */
const LARGE = 'x'.repeat(200_000);
const MAX_PAYLOAD = 131_072;
/** How long to wait for the last events at most, in ms. */
const PATIENCE = 60_000;
/** How often the consumer is killed in a cluster. */
const CONSUMER_KILLS = 30;

type Disturbances = Readonly<Record<string, () => Promise<unknown>>>;

let failed = false;
const programs = values.cluster ? SERVERS.filter(program => !versionOf(program).startsWith('2.9.')) : SERVERS;
if (programs.length === 0) {
  console.error('npm run chaos:fleet: a cluster needs NATS 2.10 or later; set NATS_SERVERS to paths of it');
  process.exit(2);
}
for (const program of programs) failed = !(await run(program)) || failed;
process.exit(failed ? 1 : 0);

async function run(program: string): Promise<boolean> {
  const startedAt = Date.now();
  console.log(
    `\nNATS ${versionOf(program)}, ${values.cluster ? 'a cluster of 3, ' : ''}3 workers, ${identities} identities, ${events} events, a lease of ${lease} ms`,
  );
  const log = (text: string) => {
    console.log(`${((Date.now() - startedAt) / 1_000).toFixed(1).padStart(6)} s  ${text}`);
  };
  const random = randomNumbers(Number(values.seed));
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]!;

  const config = `max_payload: ${MAX_PAYLOAD}`;
  const cluster = values.cluster ? await startCluster(program, config) : undefined;
  const servers = cluster?.servers ?? [await startNatsServer({ program, config })];
  const [server] = servers as [NatsServer];
  const emulator = createEmulator({ collectTime: 30, blockTime: 5_000, retention: 120_000 });
  const service = await listen(emulator);
  const tokens = new Map<string, string>();
  const addIdentity = () => {
    const { identity_id, token } = emulator.addIdentity();
    tokens.set(identity_id, token);
    return identity_id;
  };
  const ids = Array.from({ length: identities }, addIdentity);

  const ledger = new Ledger();
  const takeovers: number[] = [];
  const counts: Partial<Record<FleetEvent['kind'], number>> = {};
  /** When workers were killed or frozen, and have not been taken over yet. */
  const away = new Map<string, number>();
  const onEvent = (_: string, event: FleetEvent) => {
    counts[event.kind] = (counts[event.kind] ?? 0) + 1;
    if (event.kind === 'nats_error' && process.env.VERBOSE) log(`trouble: ${String(event.error)}`);
    if (event.kind === 'identity_rejected') log(`failed: ${String(event.error)}`);
    if (event.kind !== 'assigned' || event.from === undefined) return;
    const at = away.get(event.from);
    if (at !== undefined) takeovers.push(Date.now() - at);
  };
  const tokenOf = (identity_id: string) => tokens.get(identity_id)!;
  const workers = new Workers({
    nats: servers.map(({ port }) => port),
    url: service.url,
    lease,
    shards: 64,
    tokenOf,
    onEvent,
  });
  workers.follow(ids);
  for (let i = 0; i < 3; i++) workers.start();

  const followed = () => {
    const polls = emulator.requests.filter(({ pending, url }) => pending && url.includes('watch_index'));
    return new Set(polls.map(({ token }) => token)).size;
  };
  for (let i = 0; i < 300 && followed() < identities; i++) await wait(100);
  log(`${followed()} identities are followed`);

  // The consumer comes and goes, and continues from the position that it has kept.
  const anywhere = { servers: servers.map(({ port }) => `127.0.0.1:${port}`) };
  const nats = await server.connect(anywhere);
  const operator = cluster && (await server.connect({ ...anywhere, ...OPERATOR }));
  let position = 0;
  let consuming: Subscription | undefined;
  const consume = (connection = nats) => {
    consuming?.unsubscribe();
    const ack = () => EMPTY;
    consuming = fleetBatches({ nats: connection, durable: 'ledger', from: position, ack }).subscribe({
      next: batch => {
        if (batch.position <= position) log(`position ${batch.position} came after ${position}`);
        position = batch.position;
        ledger.receive(batch);
      },
      error: (error: unknown) => {
        if (!connection.isClosed()) log(`the consumer has ended: ${String(error)}`);
      },
    });
  };
  consume();
  let consumerKills = 0;
  let atFollower = nats;
  /**
   * The connection is closed as if the process was killed; another consumer begins at a follower.
   */
  const killConsumer = async () => {
    consumerKills++;
    const { follower } = await ranks();
    const before = atFollower;
    atFollower = await server.connect({
      servers: `127.0.0.1:${follower.port}`,
      waitOnFirstConnect: true,
    });
    if (before !== nats) await before.close();
    consume(atFollower);
  };

  const isAway = (name: string) => away.has(name);
  const aWorker = () => pick(workers.names.filter(name => !isAway(name)));
  /** The server of a cluster that leads the stream, and one that does not. */
  const ranks = async () => {
    const { streams } = await jetstreamManager(nats, { checkAPI: false });
    let leader: string | undefined;
    for (let i = 0; i < 10 && leader === undefined; i++)
      leader = await streams.info('LOBBY_EVENTS').then(
        ({ cluster }) => cluster?.leader,
        async () => {
          await wait(500);
          return undefined;
        },
      );
    const [led, others] = [
      servers.filter((_, i) => `s${i}` === leader),
      servers.filter((_, i) => `s${i}` !== leader),
    ];
    return { leader: led[0] ?? server, follower: pick(others) };
  };
  const isolated = async (server: NatsServer, ms: number) => {
    cluster!.cut(servers.indexOf(server));
    await wait(ms);
    cluster!.mend();
    // Until the routes are there again.
    await wait(2_000);
  };
  const killed = async (server: NatsServer) => {
    await server.stop('SIGKILL');
    await wait(500);
    await server.start();
  };
  const frozen = async (server: NatsServer, ms: number) => {
    server.process().kill('SIGSTOP');
    await wait(ms);
    server.process().kill('SIGCONT');
  };
  const ofNats: Disturbances = {
    'NATS killed and started': () => killed(server),
    'NATS restarted': async () => {
      await server.stop('SIGTERM');
      await server.start();
    },
    'NATS frozen for 5 s': () => frozen(server, 5_000),
  };
  const ofCluster: Disturbances = {
    'leader killed and started': async () => killed((await ranks()).leader),
    'leader frozen for 10 s': async () => frozen((await ranks()).leader, 10_000),
    'follower killed and started': async () => killed((await ranks()).follower),
    'follower frozen for 10 s': async () => frozen((await ranks()).follower, 10_000),
    'leader without routes for 10 s': async () => isolated((await ranks()).leader, 10_000),
    'follower without routes for 10 s': async () => isolated((await ranks()).follower, 10_000),
    'another leader of the cluster elected': () =>
      operator!.request('$JS.API.META.LEADER.STEPDOWN', undefined, { timeout: 5_000 }),
    'another leader elected': () => nats.request('$JS.API.STREAM.LEADER.STEPDOWN.LOBBY_EVENTS'),
    'all servers restarted, one after another': async () => {
      for (const server of servers) {
        await server.stop('SIGTERM');
        await server.start();
        await wait(5_000);
      }
    },
    'all servers killed at once': async () => {
      await Promise.all(servers.map(server => server.stop('SIGKILL')));
      await Promise.all(servers.map(server => server.start()));
    },
  };
  const disturbances: Disturbances = {
    ...(values.cluster ? ofCluster : ofNats),
    'the list of who is alive deleted': async () => {
      const { streams } = await jetstreamManager(nats, { checkAPI: false });
      await streams.delete('LOBBY_ALIVE');
    },
    'worker killed, another joins': async () => {
      const name = aWorker();
      away.set(name, Date.now());
      workers.signal(name, 'SIGKILL');
      await wait(lease / 2);
      workers.start();
    },
    'worker frozen for two leases': async () => {
      const name = aWorker();
      away.set(name, Date.now());
      workers.signal(name, 'SIGSTOP');
      await wait(2 * lease);
      workers.signal(name, 'SIGCONT');
      away.delete(name);
    },
    'worker leaves, another joins': async () => {
      workers.leave(aWorker());
      await wait(500);
      workers.start();
    },
    'tokens renewed': async () => {
      for (const id of ids.slice(0, 100)) {
        const old = tokens.get(id)!;
        tokens.set(id, emulator.renewToken(old));
        emulator.expireToken(old);
      }
      await wait(0);
    },
    'identities removed, and added again': async () => {
      workers.follow(ids.slice(20));
      await wait(2_000);
      workers.follow(ids);
    },
    'consumer comes back': async () => {
      consume();
      await wait(100);
      consume();
    },
    'service refuses for a while': async () => {
      emulator.fault({ kind: 'error', status: 503 }, { times: 200 });
      await wait(0);
    },
  };
  const plan = Object.entries(disturbances).flatMap(entry => [entry, entry]);
  const every = events / (plan.length + 1);
  let next = every;
  const killsEvery = events / (CONSUMER_KILLS + 1);
  let nextKill = cluster ? killsEvery : Infinity;
  let busy = Promise.resolve();

  for (let sent = 0; sent < events;) {
    const began = Date.now();
    for (let i = 0; i < perSecond / 20 && sent < events; i++, sent++) {
      const id = pick(ids);
      const number = ledger.next(id);
      emulator.publish(id, { numbered: { number, ...(sent % 1_000 === 500 && { text: LARGE }) } });
    }
    if (sent >= nextKill) {
      nextKill += killsEvery;
      await killConsumer();
    }
    if (sent >= next && plan.length > 0) {
      next += every;
      const [name, disturb] = plan.splice(Math.floor(random() * plan.length), 1)[0]!;
      // One after another: the service keeps events for two minutes only.
      busy = busy.then(async () => {
        log(`${name} (${sent} events sent, ${ledger.received} received)`);
        await disturb().catch((error: unknown) => {
          log(`${name}: ${String(error)}`);
        });
        await wait(lease / 2);
      });
      if (plan.length % 4 === 0) await busy;
    }
    await wait(Math.max(0, 50 - (Date.now() - began)));
  }
  await busy;
  const sentAt = Date.now();
  while (ledger.received < ledger.sent && Date.now() - sentAt < PATIENCE) await wait(100);
  await wait(1_000);

  const { lost, doubled, outOfOrder } = ledger.faults;
  const sorted = [...takeovers].sort((a, b) => a - b);
  const seconds = (ms: number | undefined) => (ms === undefined ? '-' : `${(ms / 1_000).toFixed(1)} s`);
  const rows: readonly (readonly [string, number | string])[] = [
    ['events sent', ledger.sent],
    ['received', ledger.received],
    ['lost', lost],
    ['doubled', doubled],
    ['out of order', outOfOrder],
    ['gaps', ledger.gaps],
    ...(cluster ? [['consumers killed', consumerKills] as const] : []),
    ['shards taken by force', takeovers.length],
    ['  after, the median', seconds(sorted[sorted.length >> 1])],
    ['  after, the longest', seconds(sorted.at(-1))],
    ['shards assigned in all', counts.assigned ?? 0],
    ['shards lost by who was away', counts.lost ?? 0],
    ['appends refused', counts.conflict ?? 0],
    ['requests of NATS that failed', counts.nats_error ?? 0],
    ['until the last event came', seconds(Date.now() - 1_000 - sentAt)],
  ];
  for (const [name, value] of rows) console.log(`  ${name.padEnd(34)} ${value}`);
  consuming?.unsubscribe();
  for (const name of workers.names) workers.signal(name, 'SIGKILL');
  await service.close();
  for (const server of servers) await server.remove();
  cluster?.close();
  const isWell = lost === 0 && doubled === 0 && outOfOrder === 0 && ledger.gaps === 0;
  if (!isWell) console.log('  FAILED');
  return isWell;
}

function wait(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms));
}

/** Reproducible random numbers from 0 to 1. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}
