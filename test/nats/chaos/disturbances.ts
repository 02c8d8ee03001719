import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsServer } from '../nats-server.js';
import { wait, type ChaosRun, type Disturbances } from './chaos-run.js';

/** All disturbances of a run. */
export const disturbancesOf = (run: ChaosRun): Disturbances => ({
  ...(run.cluster ? ofCluster(run) : ofServer(run.server)),
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

const ofServer = (server: NatsServer): Disturbances => ({
  'NATS killed and started': () => killed(server),
  'NATS restarted': async () => {
    await server.stop('SIGTERM');
    await server.start();
  },
  'NATS frozen for 5 s': () => frozen(server, 5_000),
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
      await Promise.all(servers.map(server => server.stop('SIGKILL')));
      await Promise.all(servers.map(server => server.start()));
    },
  };
}

function ofWorkers(run: ChaosRun): Disturbances {
  const { workers } = run;
  const { away } = run.takeovers;
  const { lease } = run.settings;
  const aWorker = () => run.pick(workers.names.filter(name => !away.has(name)));
  return {
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
    'a worker is banned by the service for four leases': async () => {
      const name = aWorker();
      workers.reachService(name, false);
      await wait(4 * lease);
      workers.reachService(name, true);
    },
    'worker leaves, another joins': async () => {
      workers.leave(aWorker());
      await wait(500);
      workers.start();
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
