import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsServer } from '../nats-server.js';
import type { Direction } from './relay.js';
import { wait, type ChaosRun, type Disturbances } from './chaos-run.js';

/** All disturbances of a run. */
export const disturbancesOf = (run: ChaosRun): Disturbances => ({
  ...(run.cluster ? ofCluster(run) : ofServer(run)),
  ...ofVolumes(run),
  ...ofWorkers(run),
  ...ofOthers(run),
});

async function killed(server: NatsServer): Promise<void> {
  await server.stop('SIGKILL');
  await wait(500);
  await server.start();
}

async function frozen(server: NatsServer, ms: number): Promise<void> {
  server.process().kill('SIGSTOP');
  await wait(ms);
  server.process().kill('SIGCONT');
}

/** How long a server has no routes to the others of its cluster, in ms. */
const ISOLATED_MS = 10_000;

/** How long NATS stores on at least after a copy of its volume was made, in ms. */
const SET_BACK_MS = 8_000;

/**
 * A server is without power: nothing closes its connections, and their other ends hear nothing. If
 * it is on again, it does not know them.
 */
async function withoutPower(run: ChaosRun, server: NatsServer, ms: number): Promise<void> {
  const relays = run.relaysTo(server);
  for (const relay of relays) relay.hold('up', 'down');
  await server.stop('SIGKILL');
  await wait(ms);
  await server.start();
  for (const relay of relays) relay.release();
}

/** All servers are set back to a copy of their volumes, by a power loss or an operator. */
async function setBack(run: ChaosRun, before: () => void = () => undefined): Promise<void> {
  const { servers } = run;
  const all = (task: (server: NatsServer) => Promise<unknown>) => Promise.all(servers.map(task));
  await all(server => server.stop());
  const putBack = servers.map(server => server.copy());
  await all(server => server.start());
  const { position } = run.consumer.last;
  const until = Date.now() + SET_BACK_MS;
  // A cluster may need longer until it stores anything.
  await run.sendUntil(() => Date.now() >= until && run.consumer.last.position > position);
  before();
  await all(server => server.stop('SIGKILL'));
  run.setBack();
  for (const put of putBack) put();
  await all(server => server.start());
}

const ofVolumes = (run: ChaosRun): Disturbances => ({
  'NATS set back to an older copy of its volume': () => setBack(run),
  'NATS set back, until it has other records where the consumer was': async () => {
    const { consumer } = run;
    await setBack(run, () => consumer.end());
    await run.sendUntil(() => run.isPast(consumer.last));
    consumer.begin();
  },
});

const ofServer = (run: ChaosRun): Disturbances => ({
  'NATS killed and started': () => killed(run.server),
  'NATS restarted': async () => {
    await run.server.stop('SIGTERM');
    await run.server.start();
  },
  'NATS frozen for 5 s': () => frozen(run.server, 5_000),
  'NATS without power for 10 s': () => withoutPower(run, run.server, 10_000),
});

function ofCluster(run: ChaosRun): Disturbances {
  const { servers } = run;
  const isolated = async (server: NatsServer) => {
    run.cluster!.cut(servers.indexOf(server));
    await wait(ISOLATED_MS);
    run.cluster!.mend();
    // The routes need this time to come back.
    await wait(2_000);
  };
  return {
    'leader killed and started': async () => killed((await run.ranks()).leader),
    'leader frozen for 10 s': async () => frozen((await run.ranks()).leader, 10_000),
    'follower killed and started': async () => killed((await run.ranks()).follower),
    'follower frozen for 10 s': async () => frozen((await run.ranks()).follower, 10_000),
    'leader without routes for 10 s': async () => isolated((await run.ranks()).leader),
    'leader without power for a minute': async () => withoutPower(run, (await run.ranks()).leader, 60_000),
    'follower without power for a minute': async () =>
      withoutPower(run, (await run.ranks()).follower, 60_000),
    'follower without routes for 10 s': async () => isolated((await run.ranks()).follower),
    'another leader of the cluster elected': () =>
      run.operator.request('$JS.API.META.LEADER.STEPDOWN', undefined, { timeout: 5_000 }),
    'another leader elected': () => run.nats.request('$JS.API.STREAM.LEADER.STEPDOWN.LOBBY_EVENTS'),
    'all servers restarted, one after another': async () => {
      for (const server of servers) {
        await server.stop('SIGTERM');
        await server.start();
        await wait(5_000);
      }
    },
    'all servers killed at once': async () => {
      const { last } = run.consumer;
      await Promise.all(servers.map(server => server.stop('SIGKILL')));
      await Promise.all(servers.map(server => server.start()));
      // NATS 2.10 may lose what it has confirmed.
      if (await run.hasKept(last)) return;
      run.log('NATS has lost the end of its stream');
      run.setBack();
    },
  };
}

function ofWorkers(run: ChaosRun): Disturbances {
  const { workers } = run;
  const { away } = run.takeovers;
  const { lease } = run.settings;
  const aWorker = () => run.pick(workers.names.filter(name => !away.has(name)));
  const heldBack = async (name: string, direction: Direction) => {
    const relays = workers.relaysOf(name);
    for (const relay of relays) relay.hold(direction);
    await wait(3 * lease);
    for (const relay of relays) relay.release();
  };
  return {
    'worker killed, another joins': async () => {
      const name = aWorker();
      away.set(name, Date.now());
      workers.signal(name, 'SIGKILL');
      await wait(lease / 2);
      await workers.start();
    },
    'a worker loses its power, another joins': async () => {
      const name = aWorker();
      away.set(name, Date.now());
      for (const relay of workers.relaysOf(name)) relay.hold('up', 'down');
      workers.signal(name, 'SIGKILL');
      await wait(lease / 2);
      await workers.start();
    },
    'a worker hears nothing of NATS for three leases': () => heldBack(aWorker(), 'down'),
    'NATS hears nothing of a worker for three leases': () => heldBack(aWorker(), 'up'),
    'worker frozen for two leases': async () => {
      const name = aWorker();
      away.set(name, Date.now());
      workers.signal(name, 'SIGSTOP');
      await wait(2 * lease);
      workers.signal(name, 'SIGCONT');
      away.delete(name);
    },
    'a worker is banned by the service for four leases': async () => {
      const name = aWorker();
      workers.reachService(name, false);
      await wait(4 * lease);
      workers.reachService(name, true);
    },
    'worker leaves, another joins': async () => {
      workers.leave(aWorker());
      await wait(500);
      await workers.start();
    },
  };
}

function ofOthers(run: ChaosRun): Disturbances {
  const { ids, tokens, emulator, workers, consumer } = run;
  return {
    'the list of live workers deleted': async () => {
      const { streams } = await jetstreamManager(run.nats, { checkAPI: false });
      await streams.delete('LOBBY_ALIVE');
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
      consumer.begin();
      await wait(100);
      consumer.begin();
    },
    'service refuses for a while': async () => {
      emulator.fault({ kind: 'error', status: 503 }, { times: 200 });
      await wait(0);
    },
  };
}
