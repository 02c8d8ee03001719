import { deepStrictEqual, notStrictEqual, ok, strictEqual } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { fleetBatches, fleetFeed, type FleetBatchesConfig, type FleetPosition } from 'lobby-rx/fleet';
import { waitUntil } from '../wait-until.js';
import { restore, save } from '../../examples/fleet/backup.js';
import { SERVERS, startNatsServer, versionOf, type NatsServer } from './nats-server.js';
import { numberOf, stage } from './stage.js';

for (const program of SERVERS) {
  describe(`a fleet that is restored, on NATS ${versionOf(program)}`, () => {
    let setting: Awaited<ReturnType<typeof stage>>;
    let another: NatsServer | undefined;
    let folder: string;
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'backup-'));
      setting = await stage({ program });
    });
    afterEach(async () => {
      await setting.end();
      await another?.remove();
      another = undefined;
      rmSync(folder, { recursive: true });
    });

    /** Reads from a position, and keeps the last one. */
    const consume = async (config: Partial<FleetBatchesConfig>, server: NatsServer = setting.server) => {
      const numbers: number[] = [];
      const gaps: string[] = [];
      let last: FleetPosition | undefined;
      const batches$ = fleetBatches({ nats: await server.connect(), ...config });
      const consuming = batches$.subscribe(batch => {
        const { events, gap, identity_id, position, storedAt } = batch;
        if (gap) gaps.push(identity_id);
        numbers.push(...events.map(numberOf));
        last = { position, storedAt };
      });
      setting.running.push(consuming);
      return { numbers, gaps, consuming, last: () => last! };
    };
    const stateOf = async (stream: string) => {
      const { streams } = await jetstreamManager(await setting.server.connect());
      return (await streams.info(stream)).state;
    };
    /** Publishes to all identities, and waits until that is stored. */
    const store = async (ids: readonly string[]) => {
      const before = (await stateOf('LOBBY_EVENTS')).last_seq;
      const numbers = ids.map(id => setting.publish(id));
      await waitUntil(async () => (await stateOf('LOBBY_EVENTS')).last_seq >= before + ids.length);
      return numbers;
    };

    /** Sets NATS back to how it is now. */
    const copies: Readonly<Record<string, () => Promise<() => Promise<void>>>> = {
      'an older copy of its volume': async () => {
        const { server } = setting;
        await server.stop();
        const putBack = server.copy();
        await server.start();
        return async () => {
          await server.stop('SIGKILL');
          putBack();
          await server.start();
        };
      },
      'an older backup of its stream': async () => {
        const nats = await setting.server.connect();
        const { streams } = await jetstreamManager(nats);
        await save(nats, folder, ['LOBBY_EVENTS']);
        return async () => {
          await streams.delete('LOBBY_EVENTS');
          await restore(nats, folder, ['LOBBY_EVENTS']);
        };
      },
    };
    for (const [name, copy] of Object.entries(copies)) {
      it(`misses nothing after ${name}, although the stream is past the consumer's position again`, async () => {
        const { add, work, followed } = setting;
        const ids = add(5);
        const worker = await work();
        await followed();
        const reader = await consume({ durable: 'reader' });
        await store(ids);
        const setBack = await copy();
        await followed();
        await store(ids);
        await store(ids);
        await waitUntil(() => reader.numbers.length === 15);
        const last = reader.last();
        reader.consuming.unsubscribe();
        await waitUntil(async () => (await stateOf('LOBBY_EVENTS')).consumer_count === 0);
        await setBack();
        // The worker stores what the service still has, and more.
        const since: number[] = [];
        while ((await stateOf('LOBBY_EVENTS')).last_seq <= (last.position % 2 ** 40) + 5)
          since.push(...(await store(ids)));
        const readers = [await consume({ from: last })];
        // An older copy of the volume has an older position of the durable consumer, too.
        if (name.includes('stream')) readers.push(await consume({ durable: 'reader' }));
        for (const { numbers, gaps } of readers) {
          await waitUntil(() => since.every(number => numbers.includes(number)));
          deepStrictEqual([...gaps].sort(), [...ids].sort());
          // What only the lost end had may come again, and all else comes once.
          ok(numbers.every(number => number > 5));
          strictEqual(new Set(numbers).size, numbers.length);
        }
        strictEqual(worker.error(), undefined);
      });
    }

    it('goes on without a gap, and doubles nothing, in a backup on another server', async () => {
      const { server, add, work, followed, publish } = setting;
      const ids = add(5);
      const worker = await work();
      await followed();
      const reader = await consume({ durable: 'reader' });
      await store(ids);
      await store(ids);
      await waitUntil(() => reader.numbers.length === 10);
      worker.worker.unsubscribe();
      reader.consuming.unsubscribe();
      await waitUntil(async () => (await stateOf('LOBBY_EVENTS')).consumer_count === 0);
      const nats = await server.connect();
      another = await startNatsServer({ program });
      const target = await another.connect();
      await save(nats, folder);
      await restore(target, folder);
      await work({ nats: another.connect() });
      await followed();
      for (const id of ids) publish(id);
      const next = await consume({ durable: 'reader', from: reader.last() }, another);
      const late = await consume({ durable: 'reader-2', from: 0 }, another);
      await waitUntil(() => next.numbers.length >= 5 && late.numbers.length >= 15);
      deepStrictEqual([...next.numbers].sort(), [11, 12, 13, 14, 15]);
      deepStrictEqual([next.gaps, late.gaps], [[], []]);
      ok(next.last().position > reader.last().position);
    });

    it('goes on where it was, while a consumer runs, although NATS 2.15 gives the stream another time of creation', async () => {
      const { server, add, work, followed } = setting;
      const ids = add(5);
      const worker = await work();
      await followed();
      const reader = await consume({ durable: 'reader' });
      await store(ids);
      await waitUntil(() => reader.numbers.length === 5);
      worker.worker.unsubscribe();
      const nats = await server.connect();
      const { streams } = await jetstreamManager(nats);
      await save(nats, folder, ['LOBBY_EVENTS']);
      await streams.delete('LOBBY_EVENTS');
      await restore(nats, folder, ['LOBBY_EVENTS']);
      await work();
      await followed();
      await store(ids);
      await waitUntil(() => reader.numbers.length >= 10);
      deepStrictEqual(
        [...reader.numbers].sort((a, b) => a - b),
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      );
      deepStrictEqual(reader.gaps, []);
    });

    it('has a gap in a feed for which another record has the position of its last one', async () => {
      const { server, add, work, followed } = setting;
      const [id] = add(1) as [string];
      await work();
      await followed();
      await store([id]);
      await server.stop();
      const putBack = server.copy();
      await server.start();
      await followed();
      const feed = fleetFeed({ nats: await server.connect(), identity_id: id, linger: 0 });
      const gaps: string[] = [];
      const numbers: number[] = [];
      setting.running.push(feed.gap$.subscribe(({ reason }) => gaps.push(reason)));
      const follow = () => feed.all$.subscribe(event => numbers.push(numberOf(event)));
      const states: string[] = [];
      setting.running.push(feed.status$.subscribe(({ state }) => states.push(state)));
      const first = follow();
      await waitUntil(() => states.at(-1) === 'live');
      await store([id]);
      await waitUntil(() => numbers.length === 1);
      first.unsubscribe();
      await server.stop('SIGKILL');
      putBack();
      await server.start();
      await followed();
      const stored = await store([id]);
      await store([id]);
      const last = (await store([id]))[0]!;
      setting.running.push(follow());
      await waitUntil(() => numbers.includes(last));
      notStrictEqual(numbers.indexOf(stored[0]!), -1);
      deepStrictEqual(gaps, ['silence']);
    });
  });
}
