import { deepStrictEqual, strictEqual } from 'node:assert';
import { jetstreamManager } from '@nats-io/jetstream';
import { lastValueFrom, type Subscription } from 'rxjs';
import { fleetBatches, fleetFeed, setReplicas } from 'lobby-rx/fleet';
import { waitUntil } from '../wait-until.js';
import { SERVERS, startNatsCluster, versionOf, type NatsServer } from './nats-server.js';
import { numberOf, stage } from './stage.js';

/** Clusters of 2.9 do not check the expected last message before they append. */
const PROGRAMS = SERVERS.filter(program => !versionOf(program).startsWith('2.9.'));

for (const program of PROGRAMS) {
  describe(`a fleet on a cluster of NATS ${versionOf(program)}`, () => {
    let setting: Awaited<ReturnType<typeof stage>>;
    let cluster: readonly NatsServer[] = [];
    beforeEach(async () => {
      cluster = await startNatsCluster(program);
      setting = await stage({ program });
    });
    afterEach(async () => {
      await setting.end();
      for (const one of cluster) await one.remove();
    });

    it('keeps all streams on three servers after setReplicas, while it works, and survives each of them', async function () {
      this.timeout(180_000);
      const { add, work, followed, publish, running } = setting;
      const ids = add(5);
      const anywhere = { servers: cluster.map(({ port }) => `127.0.0.1:${port}`) };
      const { events } = await work({ nats: cluster[0]!.connect(anywhere) });
      await waitUntil(() => events.some(({ kind }) => kind === 'ready'));
      await followed();
      const nats = await cluster[1]!.connect(anywhere);
      strictEqual(await lastValueFrom(setReplicas({ nats, replicas: 3 })), 3);
      const { streams } = await jetstreamManager(nats, { checkAPI: false });
      for (const name of ['LOBBY_EVENTS', 'LOBBY_ALIVE', 'KV_LOBBY_FLEET', 'KV_LOBBY_POSITIONS']) {
        const { config, cluster: copies } = await streams.info(name);
        deepStrictEqual([config.num_replicas, copies!.replicas!.length], [3, 2], name);
      }
      const numbers: number[] = [];
      const batches$ = fleetBatches({ nats, from: 0 });
      running.push(batches$.subscribe(batch => numbers.push(...batch.events.map(numberOf))));
      for (const server of cluster) {
        await server.stop('SIGKILL');
        const sent = ids.map(id => publish(id));
        await waitUntil(() => sent.every(number => numbers.includes(number)));
        await server.start();
        await waitUntil(async () => {
          const info = await streams.info('LOBBY_EVENTS').catch(() => undefined);
          return info?.cluster?.replicas?.every(({ current }) => current) === true;
        });
      }
      strictEqual(new Set(numbers).size, numbers.length);
    });

    it('waits for a cluster that has just been started, and says so', async () => {
      const { add, work, publish, running } = setting;
      const [id] = add(1) as [string];
      await Promise.all(cluster.map(one => one.stop()));
      const join = async (one: NatsServer) => {
        await one.start();
        return work({ replicas: 3, nats: one.connect() });
      };
      const [first, ...others] = cluster;
      // One server alone cannot elect a leader.
      const waiting = await join(first!);
      await waitUntil(() => waiting.events.some(({ kind }) => kind === 'nats_error'));
      const workers = [waiting, ...(await Promise.all(others.map(join)))];
      await waitUntil(() => workers.some(({ events }) => events.some(({ kind }) => kind === 'assigned')));
      publish(id);
      const { streams } = await jetstreamManager(await cluster[0]!.connect());
      await waitUntil(async () => (await streams.info('LOBBY_EVENTS')).state.messages > 0);
      deepStrictEqual((await streams.info('LOBBY_EVENTS')).config.num_replicas, 3);
      deepStrictEqual(
        workers.map(({ error }) => error()),
        [undefined, undefined, undefined],
      );
      for (const worker of running) worker.unsubscribe();
    });

    it('is read as soon as its cluster has chosen leaders again', async function () {
      this.timeout(120_000);
      const { add, work, followed, publish, running } = setting;
      const [id] = add(1) as [string];
      await work({ replicas: 3, nats: cluster[0]!.connect() });
      await followed();
      publish(id);
      const { streams } = await jetstreamManager(await cluster[0]!.connect());
      await waitUntil(async () => (await streams.info('LOBBY_EVENTS')).state.messages > 0);
      // If all servers are killed at once, NATS 2.10 may lose records that it has confirmed.
      await Promise.all(cluster.map(server => server.stop('SIGTERM')));
      await Promise.all(cluster.map(server => server.start()));
      const numbers: number[] = [];
      const errors: unknown[] = [];
      const error = (error: unknown) => errors.push(error);
      const live = fleetFeed({ nats: cluster[1]!.connect(), identity_id: id });
      const states: string[] = [];
      running.push(
        fleetBatches({ nats: cluster[2]!.connect(), durable: 'reader' }).subscribe({
          next: ({ events }) => numbers.push(...events.map(numberOf)),
          error,
        }),
        live.all$.subscribe({ error }),
        live.status$.subscribe({ next: ({ state }) => states.push(state), error }),
      );
      await waitUntil(() => errors.length > 0 || (numbers.length > 0 && states.at(-1) === 'live'));
      deepStrictEqual([errors, numbers], [[], [1]]);
    });

    it('is read on while the server that has its consumer is down', async function () {
      this.timeout(120_000);
      const { add, work, followed, publish, running } = setting;
      const [id] = add(1) as [string];
      const log: string[] = [];
      await work({ replicas: 3, nats: cluster[0]!.connect() });
      await followed();
      publish(id);
      const nats = await cluster[0]!.connect();
      const { consumers } = await jetstreamManager(nats);
      const numbers: number[] = [];
      let reading: Subscription | undefined;
      let holder: NatsServer | undefined;
      // The server of the connection would end it, which is another test.
      while (!holder || holder === cluster[0]) {
        reading?.unsubscribe();
        await waitUntil(async () => (await consumers.list('LOBBY_EVENTS').next()).length === 0);
        numbers.length = 0;
        const batches$ = fleetBatches({ nats, from: 0, log: ({ kind }) => log.push(kind) });
        reading = batches$.subscribe(({ events }) => numbers.push(...events.map(numberOf)));
        await waitUntil(() => numbers.length === 1);
        const [consumer] = await consumers.list('LOBBY_EVENTS').next();
        holder = cluster[Number(consumer!.cluster!.leader!.slice(1))];
      }
      running.push(reading!);
      await holder.stop('SIGKILL');
      for (let i = 0; i < 20; i++) publish(id);
      await waitUntil(() => numbers.length === 21);
      deepStrictEqual(log.includes('retrying'), true);
    });

    it('has every event at each server of a cluster, although followers lag behind', async () => {
      const { add, work, followed, publish, running } = setting;
      const [id] = add(1) as [string];
      await work({ replicas: 3, nats: cluster[0]!.connect() });
      await followed();
      const seen = await Promise.all(
        cluster.map(async server => {
          const nats = await server.connect();
          const [batches, feed, gaps]: [number[], number[], string[]] = [[], [], []];
          const live = fleetFeed({ nats, identity_id: id });
          running.push(
            fleetBatches({ nats, from: 0 }).subscribe(({ events, gap }) => {
              if (gap) gaps.push(gap.reason);
              batches.push(...events.map(numberOf));
            }),
            live.gap$.subscribe(({ reason }) => gaps.push(reason)),
            live.all$.subscribe(event => feed.push(numberOf(event))),
          );
          const states: string[] = [];
          running.push(live.status$.subscribe(({ state }) => states.push(state)));
          await waitUntil(() => states.at(-1) === 'live');
          return { batches, feed, gaps };
        }),
      );
      const text = 'x'.repeat(1_500_000);
      for (let i = 1; i <= 60; i++) {
        publish(id, i % 6 === 0 ? { text } : {});
        await new Promise(resolve => setTimeout(resolve, 10));
      }
      const all = Array.from({ length: 60 }, (_, i) => i + 1);
      await waitUntil(() => seen.every(({ batches, feed }) => batches.length >= 60 && feed.length >= 60));
      for (const each of seen) deepStrictEqual(each, { batches: all, feed: all, gaps: [] });
    });
  });
}
