import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert';
import { jetstreamManager } from '@nats-io/jetstream';
import { headers, type NatsConnection } from '@nats-io/transport-node';
import { defer, firstValueFrom, lastValueFrom, Subject, tap, throwError, timer } from 'rxjs';
import {
  fleetBatches,
  type FleetBatch,
  type FleetBatchesConfig,
  type FleetConsumerLogEntry,
  type FleetPosition,
} from 'lobby-rx/fleet';
import { waitUntil } from '../wait-until.js';
import { SERVERS, versionOf } from './nats-server.js';
import { numberOf, stage } from './stage.js';

for (const program of SERVERS) {
  describe(`fleetBatches, on NATS ${versionOf(program)}`, () => {
    let setting: Awaited<ReturnType<typeof stage>>;
    beforeEach(async () => {
      setting = await stage({ program });
    });
    afterEach(() => setting.end());

    /** Collects batches. */
    const consume = async (config: Partial<FleetBatchesConfig> = {}) => {
      const batches: FleetBatch[] = [];
      const errors: unknown[] = [];
      const nats = await setting.server.connect();
      const consuming = fleetBatches({ nats, ...config }).subscribe({
        next: batch => batches.push(batch),
        error: (error: unknown) => errors.push(error),
      });
      setting.running.push(consuming);
      const numbers = () => batches.flatMap(({ events }) => events.map(numberOf));
      return { batches, errors, consuming, numbers, nats };
    };

    /**
     * Waits until the stream has `count` consumers. A consumer that starts from now misses events
     * that were stored before.
     */
    const begun = async (count: number) => {
      const { streams } = await jetstreamManager(await setting.server.connect());
      await waitUntil(async () => (await streams.info('LOBBY_EVENTS')).state.consumer_count === count);
    };

    it('has each event of each identity once, in order', async () => {
      const { add, work, followed, publish } = setting;
      const ids = add(10);
      await work();
      await followed();
      const { batches, numbers } = await consume({ durable: 'all' });
      for (let i = 0; i < 300; i++) {
        publish(ids[i % ids.length]!);
        if (i % 30 === 0) await new Promise(resolve => setTimeout(resolve, 5));
      }
      await waitUntil(() => numbers().length >= 300);
      deepStrictEqual(
        [...numbers()].sort((a, b) => a - b),
        Array.from({ length: 300 }, (_, i) => i + 1),
      );
      for (const id of ids) {
        const own = batches.filter(({ identity_id }) => identity_id === id);
        const inOrder = own.flatMap(({ events }) => events.map(numberOf));
        deepStrictEqual(
          inOrder,
          [...inOrder].sort((a, b) => a - b),
        );
      }
      const positions = batches.map(({ position }) => position);
      deepStrictEqual(
        positions,
        [...new Set(positions)].sort((a, b) => a - b),
      );
    });

    it('has no gap if the process before it goes on while it begins', async () => {
      const { add, work, followed, publish, server } = setting;
      const [id] = add(1) as [string];
      await work();
      await followed();
      const before = await consume({ durable: 'moved' });
      publish(id);
      await waitUntil(() => before.numbers().length === 1);
      const saved = await server.connect();
      const positions = saved.subscribe('$KV.LOBBY_POSITIONS.consumer.moved');
      /** One more event is handled, and its position is saved. */
      const goOn = async () => {
        const earlier = positions.getReceived();
        const count = before.numbers().length;
        publish(id);
        await waitUntil(() => before.numbers().length > count || before.errors.length > 0);
        await waitUntil(() => positions.getReceived() > earlier || before.errors.length > 0);
      };
      // It reads the stream as it was before that.
      const nats = await server.connect();
      const late: NatsConnection['request'] = async (subject, ...rest) => {
        const answer = await nats.request(subject, ...rest);
        if (subject.includes('STREAM.INFO.LOBBY_EVENTS')) await goOn();
        return answer;
      };
      const get = (target: NatsConnection, key: keyof NatsConnection) => {
        const value: unknown = Reflect.get(target, key, target);
        if (key === 'request') return late;
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      };
      const after = await consume({
        durable: 'moved',
        nats: new Proxy(nats, { get: (target, key) => get(target, key as keyof NatsConnection) }),
      });
      await waitUntil(() => before.errors.length > 0);
      publish(id);
      await waitUntil(() => after.numbers().length > 0);
      deepStrictEqual(
        after.batches.map(({ gap }) => gap),
        after.batches.map(() => undefined),
      );
      // The batch that was being read when the name was taken is read again, because its position
      // could not be saved.
      const all = [...new Set([...before.numbers(), ...after.numbers()])];
      deepStrictEqual(
        all,
        all.map((_, i) => i + 1),
      );
    });

    it('starts from now, after a position, or where its name was', async () => {
      const { add, work, followed, publish } = setting;
      const [id] = add(1) as [string];
      await work();
      await followed();
      const first = await consume({ durable: 'kept' });
      publish(id);
      await waitUntil(() => first.numbers().length === 1);
      first.consuming.unsubscribe();
      await begun(0);
      const now = await consume();
      await begun(1);
      const before = now.numbers();
      publish(id);
      await waitUntil(() => now.numbers().length === 1);
      deepStrictEqual([before, now.numbers()], [[], [2]]);
      deepStrictEqual(now.batches[0]!.lag, 0);
      ok(Math.abs(now.batches[0]!.storedAt - Date.now()) < 60_000);
      const after = await consume({ from: first.batches[0]! });
      const again = await consume({ from: 0 });
      const kept = await consume({ durable: 'kept' });
      publish(id);
      await waitUntil(() => [after, kept, now].every(({ numbers }) => numbers().at(-1) === 3));
      await waitUntil(() => again.numbers().length === 3);
      deepStrictEqual(
        [after, again, kept, now].map(({ numbers }) => numbers()),
        [
          [2, 3],
          [1, 2, 3],
          [2, 3],
          [2, 3],
        ],
      );
      const { lag } = again.batches[0]!;
      ok(lag > 0, `${lag} messages came after the first one`);
    });

    it('waits for ack, calls it again if it fails, and continues after what was acknowledged', async () => {
      const { add, work, followed, publish } = setting;
      const [id] = add(1) as [string];
      await work();
      await followed();
      const acked: number[] = [];
      let fails = 2;
      const ack = ({ events }: FleetBatch) => {
        if (events.map(numberOf)[0] === 2 && fails-- > 0) return throwError(() => new Error('disk full'));
        acked.push(...events.map(numberOf));
        return timer(5);
      };
      const { consuming, numbers } = await consume({ durable: 'slow', ack });
      for (let i = 1; i <= 6; i++) {
        publish(id);
        await new Promise(resolve => setTimeout(resolve, 15));
      }
      await waitUntil(() => acked.length >= 4);
      consuming.unsubscribe();
      const before = acked.length;
      const seen = numbers().length;
      ok(seen <= before + 1);
      const next = await consume({ durable: 'slow', ack });
      publish(id);
      await waitUntil(() => acked.includes(7));
      // Positions are stored at least 20 ms apart, so later batches are read again. None is left
      // out.
      const again = acked.slice(before);
      ok(again[0]! <= before + 1, String(acked));
      deepStrictEqual(
        again,
        [1, 2, 3, 4, 5, 6, 7].filter(number => number >= again[0]!),
      );
      next.consuming.unsubscribe();
    });

    it('waits for the Observable that an async ack resolves with', async () => {
      const { add, work, followed, publish } = setting;
      const [id] = add(1) as [string];
      await work();
      await followed();
      const saved: number[] = [];
      let underWay = 0;
      let atOnce = 0;
      const ack = async ({ events }: FleetBatch) => {
        await Promise.resolve();
        return defer(() => {
          underWay++;
          atOnce = Math.max(atOnce, underWay);
          return timer(20).pipe(
            tap(() => {
              underWay--;
              saved.push(...events.map(numberOf));
            }),
          );
        });
      };
      await consume({ durable: 'async', ack });
      for (let i = 1; i <= 4; i++) publish(id);
      await waitUntil(() => saved.includes(4));
      deepStrictEqual([saved, atOnce], [[1, 2, 3, 4], 1]);
    });

    it('gets messages again that were delivered to a process that is gone', async () => {
      const { add, work, followed, publish } = setting;
      const [id] = add(1) as [string];
      await work();
      await followed();
      // It takes the first batch, and never acknowledges it, with many more on the way.
      const stuck = await consume({ durable: 'heir', ack: () => timer(3_600_000) });
      for (let i = 0; i < 20; i++) {
        publish(id);
        await new Promise(resolve => setTimeout(resolve, 12));
      }
      await waitUntil(() => stuck.batches.length === 1);
      await stuck.nats.close();
      const heir = await consume({ durable: 'heir' });
      publish(id);
      await waitUntil(() => heir.numbers().length >= 21);
      deepStrictEqual(
        heir.numbers(),
        Array.from({ length: 21 }, (_, i) => i + 1),
      );
    });

    it('reads answers that are larger than a message, whoever has stored them', async () => {
      const { add, work, followed, publish, server } = setting;
      const [id] = add(1) as [string];
      const first = await work();
      await followed();
      const { batches, numbers } = await consume({ durable: 'large' });
      const text = 'ä€😀'.repeat(150_000);
      publish(id, { text });
      await waitUntil(() => numbers().length === 1);
      first.worker.unsubscribe();
      const nats = await server.connect();
      const live = nats.subscribe('lobby.live.>');
      await nats.flush();
      await work();
      await followed();
      publish(id, { text });
      await waitUntil(() => numbers().length === 2);
      deepStrictEqual(
        batches.map(
          ({ events }) => (events[0] as unknown as { payload: { text: string } }).payload.text === text,
        ),
        [true, true],
      );
      await waitUntil(() => live.getReceived() >= 2);
    });

    it('has only the identities of a shard, or one', async () => {
      const { add, work, followed, publish } = setting;
      const ids = add(30);
      await work();
      await followed();
      const one = await consume({ of: { identity_id: ids[3]! } });
      const shards = await Promise.all(Array.from({ length: 8 }, (_, shard) => consume({ of: { shard } })));
      const all = await consume();
      await begun(10);
      for (const id of ids) publish(id);
      await waitUntil(() => all.numbers().length === 30);
      await waitUntil(() => shards.flatMap(({ batches }) => batches).length === 30);
      deepStrictEqual(one.numbers(), [4]);
      ok(shards.every(({ batches }) => batches.length > 0));
    });

    it('works on several shards at once, each in order, though ack is slow', async () => {
      const { add, work, followed, publish, running, server } = setting;
      const ids = add(30);
      await work();
      await followed();
      const nats = await server.connect();
      const stored: FleetBatch[] = [];
      const shards = Array.from({ length: 8 }, (_, shard) => shard);
      const waiting = new Set<number>();
      const areAllThere$ = new Subject<void>();
      const consume = (shard: number) => {
        const ack = async (batch: FleetBatch) => {
          waiting.add(shard);
          // No consumer goes on until each has a batch.
          if (waiting.size === 8) areAllThere$.complete();
          await lastValueFrom(areAllThere$, { defaultValue: undefined });
          stored.push(batch);
        };
        return fleetBatches({ nats, of: { shard }, durable: `slow-${shard}`, ack }).subscribe();
      };
      let consumers = shards.map(consume);
      running.push(...consumers);
      await begun(8);
      for (let i = 0; i < 3; i++) ids.forEach(id => publish(id));
      const numbers = () => stored.flatMap(({ events }) => events.map(numberOf));
      await waitUntil(() => numbers().length === 90);
      // The next process goes on where each of them was.
      for (const consumer of consumers) consumer.unsubscribe();
      await begun(0);
      consumers = shards.map(consume);
      running.push(...consumers);
      ids.forEach(id => publish(id));
      await waitUntil(() => numbers().length === 120);
      strictEqual(new Set(numbers()).size, 120);
      for (const id of ids) {
        const positions = stored.flatMap(batch => (batch.identity_id === id ? [batch.position] : []));
        deepStrictEqual(
          positions,
          [...positions].sort((a, b) => a - b),
        );
      }
    });

    it('begins with a gap if the stream does not have its position any more', async () => {
      const { add, work, followed, publish } = setting;
      const ids = add(2) as [string, string];
      await work();
      await followed();
      const first = await consume({ durable: 'ahead' });
      for (const id of [...ids, ...ids]) publish(id);
      await waitUntil(() => first.numbers().length === 4);
      const { batches } = await consume({
        durable: 'other',
        from: { position: 1_000, storedAt: 1_000 },
      });
      await waitUntil(() => batches.flatMap(({ events }) => events).length === 4);
      const gaps = batches.filter(({ gap }) => gap);
      deepStrictEqual(new Set(gaps.map(({ identity_id }) => identity_id)), new Set(ids));
      strictEqual(gaps.length, 2);
    });

    it('ends when another process reads with its name, which continues where it was', async () => {
      const { add, work, followed, publish } = setting;
      const [id] = add(1) as [string];
      await work();
      await followed();
      const handled: number[] = [];
      /**
       * Works as a database does. The events of a batch count only if its position is later than
       * the last one.
       */
      let saved: FleetPosition = { position: 0, storedAt: 0 };
      const ack = async (batch: FleetBatch) => {
        await new Promise(resolve => setTimeout(resolve, 2));
        if (batch.position <= saved.position) return;
        saved = batch;
        handled.push(...batch.events.map(numberOf));
      };
      const readers = [await consume({ durable: 'billing', ack })];
      for (let i = 1; i <= 100; i++) {
        publish(id);
        if (i % 25 === 0) readers.push(await consume({ durable: 'billing', from: saved, ack }));
        await new Promise(resolve => setTimeout(resolve, 3));
      }
      await waitUntil(() => handled.length >= 100);
      deepStrictEqual(
        handled,
        Array.from({ length: 100 }, (_, i) => i + 1),
      );
      await waitUntil(() => readers.slice(0, -1).every(({ errors }) => errors.length === 1));
      deepStrictEqual(
        readers.slice(0, -1).map(({ errors }) => String(errors[0])),
        readers.slice(0, -1).map(() => "FleetError: another process reads with durable: 'billing'"),
      );
      deepStrictEqual(readers.at(-1)!.errors, []);
    });

    it('survives its server being killed, and its consumer being deleted', async () => {
      const { add, work, followed, publish, server } = setting;
      const [id] = add(1) as [string];
      await work();
      await followed();
      const named = await consume({ durable: 'named' });
      const unnamed = await consume({ from: 0 });
      publish(id);
      await waitUntil(() => [named, unnamed].every(({ numbers }) => numbers().length === 1));
      await server.stop('SIGKILL');
      publish(id);
      await server.start();
      await waitUntil(() => [named, unnamed].every(({ numbers }) => numbers().length === 2));
      const jsm = await jetstreamManager(await server.connect());
      for await (const { name } of jsm.consumers.list('LOBBY_EVENTS'))
        await jsm.consumers.delete('LOBBY_EVENTS', name);
      publish(id);
      await waitUntil(() => [named, unnamed].every(({ numbers }) => numbers().length === 3));
      for (const { numbers } of [named, unnamed]) deepStrictEqual(numbers(), [1, 2, 3]);
    });

    it('has a gap after records that have expired', async () => {
      const { add, work, followed, publish, server } = setting;
      const ids = add(2);
      await work();
      await followed();
      const first = await consume();
      await begun(1);
      publish(ids[0]!);
      await waitUntil(() => first.batches.length === 1);
      const from = first.batches[0]!;
      publish(ids[0]!);
      await waitUntil(() => first.batches.length === 2);
      const jsm = await jetstreamManager(await server.connect());
      await jsm.streams.purge('LOBBY_EVENTS', { seq: first.batches[1]!.position + 1 });
      publish(ids[0]!);
      publish(ids[1]!);
      await waitUntil(() => first.numbers().length === 4);
      const late = await consume({ from });
      await waitUntil(() => late.numbers().length === 2);
      deepStrictEqual(
        late.batches.map(({ identity_id, gap }) => [identity_id, gap?.reason]).sort(),
        [
          [ids[0], 'silence'],
          [ids[1], undefined],
        ].sort(),
      );
    });

    it('has a gap if records expire while it handles earlier ones', async () => {
      const { add, work, followed, publish, server } = setting;
      const [id] = add(1) as [string];
      await work();
      await followed();
      const { promise: isFree, resolve: free } = promised();
      const { batches, numbers } = await consume({ durable: 'busy', ack: () => isFree });
      publish(id);
      await waitUntil(() => numbers().length === 1);
      const jsm = await jetstreamManager(await server.connect());
      const stored = async () => (await jsm.streams.info('LOBBY_EVENTS')).state.last_seq;
      // These are more than are on the way to it.
      for (let i = 0; i < 100; i++) {
        const before = await stored();
        publish(id);
        await waitUntil(async () => (await stored()) > before);
      }
      await jsm.streams.purge('LOBBY_EVENTS', { seq: (await stored()) - 5 });
      free();
      await waitUntil(() => numbers().at(-1) === 101);
      const missing = numbers().filter((number, i) => i > 0 && number !== numbers()[i - 1]! + 1);
      deepStrictEqual(
        batches.filter(({ gap }) => gap).map(({ events }) => numberOf(events[0]!)),
        missing,
      );
      ok(missing.length >= 1);
    });

    it('continues with a new stream, which begins with a gap, if NATS has lost the old one', async () => {
      const { add, work, followed, publish, server } = setting;
      const [id] = add(1) as [string];
      await work({ lease: 1_000 });
      await followed();
      const reader = await consume({ durable: 'reader' });
      publish(id);
      await waitUntil(() => reader.numbers().length === 1);
      const jsm = await jetstreamManager(await server.connect());
      await jsm.streams.delete('LOBBY_EVENTS');
      await jsm.streams.delete('KV_LOBBY_FLEET');
      publish(id);
      await waitUntil(() => reader.numbers().length === 2);
      publish(id);
      await waitUntil(() => reader.numbers().length === 3);
      deepStrictEqual([reader.numbers(), reader.errors], [[1, 2, 3], []]);
      // A consumer that had not read the records between has lost them.
      deepStrictEqual(
        reader.batches.map(({ gap }) => gap?.reason),
        [undefined, 'silence', undefined],
      );
    });

    it('ignores messages that another program has published', async () => {
      const { add, work, followed, publish, server } = setting;
      const [id] = add(1) as [string];
      await work();
      await followed();
      const { numbers } = await consume({ durable: 'calm' });
      const nats = await server.connect();
      const madeUp = headers();
      madeUp.set('Lobby-Key', 'k');
      madeUp.set('Lobby-Index', '%');
      nats.publish('lobby.events.0.%zz', 'hello', { headers: madeUp });
      madeUp.set('Lobby-Index', '7');
      nats.publish('lobby.events.0.somebody', 'hello', { headers: madeUp });
      nats.publish('lobby.events.0.somebody', 'hello');
      await nats.flush();
      publish(id);
      await waitUntil(() => numbers().length === 1);
    });

    it('waits for the first worker, and says so', async () => {
      const { add, work, followed, publish, server } = setting;
      const log: FleetConsumerLogEntry[] = [];
      const batches: FleetBatch[] = [];
      const early = fleetBatches({ nats: await server.connect(), log: entry => log.push(entry) });
      setting.running.push(early.subscribe(batch => batches.push(batch)));
      await waitUntil(() => log.length > 0);
      const told = log.map(entry => (entry.kind === 'retrying' ? String(entry.error) : entry.kind));
      ok(told[0]?.includes('does not exist yet'), told[0]);
      const [id] = add(1) as [string];
      await work();
      await followed();
      await waitUntil(() => {
        if (batches.length > 0) return true;
        publish(id);
        return false;
      });
    });

    it('says that its name is taken, or its connection is closed', async () => {
      const { add, work, followed, publish, server } = setting;
      const nats = await server.connect();
      const [id] = add(1) as [string];
      await work();
      await followed();
      publish(id);
      const batches: FleetBatch[] = [];
      const of = { identity_id: id };
      const one = fleetBatches({ nats, durable: 'taken', of }).subscribe(batch => batches.push(batch));
      await waitUntil(() => batches.length > 0);
      await rejects(
        firstValueFrom(fleetBatches({ nats, durable: 'taken' })),
        /durable must be the name of a consumer of lobby\.events\.\*\.\*/,
      );
      one.unsubscribe();
      const closing = await server.connect();
      const closed = firstValueFrom(fleetBatches({ nats: closing, durable: 'closed' }));
      await closing.close();
      await rejects(closed, /the connection to NATS was closed/);
      strictEqual(nats.isClosed(), false);
    });

    it('waits for a NATS that is slow when it starts, and says so', async () => {
      const { add, work, followed, publish, server, running } = setting;
      const [id = ''] = add(1);
      await work();
      await followed();
      publish(id);
      const nats = await server.connect();
      server.process().kill('SIGSTOP');
      const log: string[] = [];
      const seen: number[] = [];
      const errors: unknown[] = [];
      running.push(
        fleetBatches({ nats, from: 0, log: entry => log.push(entry.kind) }).subscribe({
          next: ({ events }) => seen.push(...events.map(numberOf)),
          error: (error: unknown) => errors.push(error),
        }),
      );
      await waitUntil(() => log.includes('retrying') || errors.length > 0);
      server.process().kill('SIGCONT');
      await waitUntil(() => seen.length > 0 || errors.length > 0);
      deepStrictEqual([seen, errors], [[1], []]);
    });
  });
}

function promised() {
  let resolve: () => unknown = () => undefined;
  const promise = new Promise<undefined>(done => {
    resolve = () => done(undefined);
  });
  return { promise, resolve: () => resolve() };
}
