import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { interval, lastValueFrom, Subject, Subscription } from 'rxjs';
import { fleetBatches, setReplicas, type FleetPosition } from 'lobby-rx/fleet';
import { restore, save } from '../../examples/fleet/backup.js';
import { waitUntil } from '../wait-until.js';
import { Ledger } from './chaos/ledger.js';
import { SERVERS, startNatsCluster, startNatsServer, versionOf, type NatsServer } from './nats-server.js';
import { stage } from './stage.js';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/fleet-restore.md'), 'utf8');

/** How often an event is published, in ms. */
const EVENT_EVERY_MS = 10;

/** How many events come before and after each step. */
const SOME_EVENTS = 100;

/** Versions whose clusters can keep a fleet, oldest first. */
const byAge = (a: string, b: string) => versionOf(a).localeCompare(versionOf(b), 'en', { numeric: true });
const OLDEST_FIRST = [...SERVERS].sort(byAge);
const OF_CLUSTERS = OLDEST_FIRST.filter(program => !versionOf(program).startsWith('2.9.'));

describe('a fleet under load, as docs/fleet-restore.md says', function () {
  this.timeout(120_000);
  const servers: NatsServer[] = [];
  let folder: string;
  let setting: Awaited<ReturnType<typeof stage>>;
  let ledger: Ledger;
  let last: FleetPosition;
  let consuming = Subscription.EMPTY;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'backup-'));
    ledger = new Ledger();
    last = { position: 0, storedAt: 0 };
  });
  afterEach(async () => {
    await setting.end();
    for (const server of servers.splice(0)) await server.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts a worker, a consumer and the load on a server. */
  const begin = async (program: string, nats?: Promise<NatsConnection>) => {
    setting = await stage({ program });
    const ids = setting.add(20);
    const publish = (i: number) => {
      const id = ids[i % ids.length]!;
      setting.emulator.publish(id, { numbered: { number: ledger.next(id) } });
    };
    const work = async (connection = setting.server.connect()) => {
      const drain$ = new Subject<void>();
      const { events } = await setting.work({ nats: connection, drain$ });
      await waitUntil(() => events.some(({ kind }) => kind === 'ready'));
      return async () => {
        drain$.next();
        await waitUntil(() => events.at(-1)?.kind === 'drained');
      };
    };
    const drain = await work(nats);
    consume(await (nats ?? setting.server.connect()));
    const load = interval(EVENT_EVERY_MS).subscribe(publish);
    setting.running.push(load);
    await someEvents();
    return { ids, load, drain, work };
  };

  /** A consumer that stores its position with the events, as the page of fleets says. */
  const consume = (nats: NatsConnection) => {
    consuming.unsubscribe();
    const hasGap = new Set<string>();
    consuming = fleetBatches({
      nats,
      durable: 'ledger',
      from: last,
      ack: batch => {
        const { position, storedAt, gap, identity_id } = batch;
        if (gap ? position === last.position : position <= last.position) return;
        if (gap) hasGap.add(identity_id);
        last = { position, storedAt };
        ledger.receive(batch);
      },
    }).subscribe();
    setting.running.push(consuming);
    return hasGap;
  };
  const someEvents = async () => {
    const until = ledger.received + SOME_EVENTS;
    await waitUntil(() => ledger.received >= until);
  };
  /** Waits until the consumer has read everything that is stored. */
  const readToTheEnd = async (nats: NatsConnection) => {
    const { streams } = await jetstreamManager(nats);
    const { state } = await streams.info('LOBBY_EVENTS');
    await waitUntil(() => last.position % 2 ** 40 >= state.last_seq);
  };
  /** Ends the load, and compares what was sent with what has come. */
  const count = async ({ load }: Awaited<ReturnType<typeof begin>>) => {
    await someEvents();
    load.unsubscribe();
    await waitUntil(() => ledger.received >= ledger.sent);
    deepStrictEqual(ledger.faults, {
      lost: 0,
      lostWithGap: 0,
      doubled: 0,
      doubledWithGap: 0,
      outOfOrder: 0,
      falseGaps: 0,
    });
  };

  /** Runs a command of the page, with a server and a folder of this test. */
  const runFromPage = async (command: 'save' | 'restore', { port }: NatsServer) => {
    const line = PAGE.split('\n').find(text => text.includes(`backup.ts ${command} `))!;
    const [program = '', ...args] = line.split(' ').slice(0, -2);
    await promisify(execFile)(program, [...args, `127.0.0.1:${port}`, folder], { cwd: ROOT });
  };

  /** Drains the worker, lets the consumer read the rest, and copies everything. */
  const move = async (target: NatsServer, { drain }: Awaited<ReturnType<typeof begin>>) => {
    const nats = await setting.server.connect();
    await drain();
    await readToTheEnd(nats);
    await runFromPage('save', setting.server);
    await runFromPage('restore', target);
    return target.connect();
  };

  for (const program of OLDEST_FIRST) {
    it(`moves to another server of NATS ${versionOf(program)}`, async () => {
      const running = await begin(program);
      const target = await startNatsServer({ program });
      servers.push(target);
      const nats = await move(target, running);
      await running.work(target.connect());
      consume(nats);
      await count(running);
    });

    it(`loses nothing with a backup from while it ran, on NATS ${versionOf(program)}`, async () => {
      const running = await begin(program);
      await save(await setting.server.connect(), folder);
      await someEvents();
      await setting.server.stop('SIGKILL');
      const target = await startNatsServer({ program });
      servers.push(target);
      const nats = await target.connect();
      await restore(nats, folder);
      await running.work(target.connect());
      const before = ledger.gaps;
      const hasGap = consume(nats);
      await waitUntil(() => hasGap.size === running.ids.length);
      await someEvents();
      running.load.unsubscribe();
      await waitUntil(() => ledger.received >= ledger.sent);
      // Each identity has one gap, and what came again came after it.
      strictEqual(ledger.gaps - before, running.ids.length);
      const { doubled, doubledWithGap } = ledger.faults;
      strictEqual(doubled, 0);
      ok(doubledWithGap > 0);
    });
  }

  it(`is upgraded from NATS ${OLDEST_FIRST.map(versionOf).join(' to ')}`, async () => {
    const running = await begin(OLDEST_FIRST[0]!);
    for (const program of OLDEST_FIRST.slice(1)) {
      await setting.server.stop();
      await setting.server.start(program);
      await someEvents();
    }
    await count(running);
  });

  for (const program of OF_CLUSTERS) {
    it(`moves from one server to three, which are upgraded one by one, on NATS ${versionOf(program)}`, async () => {
      const running = await begin(program);
      const cluster = await startNatsCluster(program);
      servers.push(...cluster);
      const anywhere = { servers: cluster.map(({ port }) => `127.0.0.1:${port}`) };
      const jsm = await jetstreamManager(await cluster[0]!.connect(), { checkAPI: false });
      await waitUntil(async () => (await jsm.getAccountInfo().catch(() => undefined)) !== undefined);
      await move(cluster[0]!, running);
      const nats = await cluster[1]!.connect(anywhere);
      await running.work(cluster[0]!.connect(anywhere));
      consume(nats);
      await lastValueFrom(setReplicas({ nats, replicas: 3 }));
      await someEvents();
      const { streams } = await jetstreamManager(nats, { checkAPI: false });
      for (const server of cluster) {
        await server.stop();
        await server.start(OF_CLUSTERS.at(-1));
        await waitUntil(async () => {
          const info = await streams.info('LOBBY_EVENTS').catch(() => undefined);
          return info?.cluster?.replicas?.every(({ current }) => current) === true;
        });
        await someEvents();
      }
      await count(running);
    });
  }
});
