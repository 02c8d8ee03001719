import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { jetstreamManager } from '@nats-io/jetstream';
import { take, firstValueFrom, type Subscription } from 'rxjs';
import * as t from 'io-ts';
import { struct, type EventFeed, type WatchStatus } from 'lobby-rx';
import { fleetFeed } from 'lobby-rx/fleet';
import { waitUntil } from '../wait-until.js';
import { SERVERS, versionOf } from './nats-server.js';
import { numberOf, stage } from './stage.js';

for (const program of SERVERS) {
  describe(`fleetFeed, on NATS ${versionOf(program)}`, () => {
    let setting: Awaited<ReturnType<typeof stage>>;
    let id: string;
    beforeEach(async () => {
      setting = await stage({ program });
      [id] = setting.add(2) as [string, string];
      await setting.work();
      await setting.followed();
    });
    afterEach(() => setting.end());

    /** Follows a feed. */
    const follow = (feed: EventFeed) => {
      const numbers: number[] = [];
      const errors: unknown[] = [];
      const following: Subscription = feed.all$.subscribe({
        next: event => numbers.push(numberOf(event)),
        error: (error: unknown) => errors.push(error),
      });
      setting.running.push(following);
      return { numbers, errors, following };
    };
    const statusOf = (feed: EventFeed) => {
      const states: WatchStatus['state'][] = [];
      setting.running.push(feed.status$.subscribe(({ state }) => states.push(state)));
      return states;
    };

    it('has the events of its identity, with one subscription to NATS for all subscribers', async () => {
      const { server, publish, tokens } = setting;
      const nats = await server.connect();
      const feed = fleetFeed({ nats, identity_id: id });
      const states = statusOf(feed);
      const [first, second] = [follow(feed), follow(feed)];
      await waitUntil(() => states.at(-1) === 'live');
      await nats.flush();
      publish([...tokens.keys()][1]!);
      for (let i = 0; i < 20; i++) {
        publish(id);
        if (i % 5 === 0) await new Promise(resolve => setTimeout(resolve, 10));
      }
      await waitUntil(() => first.numbers.length === 20);
      deepStrictEqual(
        [first.numbers, second.numbers],
        [Array.from({ length: 20 }, (_, i) => i + 2), first.numbers],
      );
      deepStrictEqual(states, ['idle', 'connecting', 'live']);
    });

    it('keeps its position while nobody is subscribed', async () => {
      const { server, publish } = setting;
      const feed = fleetFeed({ nats: await server.connect(), identity_id: id, linger: 0 });
      const states = statusOf(feed);
      const first = follow(feed);
      await waitUntil(() => states.at(-1) === 'live');
      publish(id);
      await waitUntil(() => first.numbers.length === 1);
      first.following.unsubscribe();
      publish(id);
      publish(id);
      await new Promise(resolve => setTimeout(resolve, 100));
      const second = follow(feed);
      await waitUntil(() => second.numbers.length === 2);
      publish(id);
      await waitUntil(() => second.numbers.length === 3);
      deepStrictEqual([first.numbers, second.numbers], [[1], [2, 3, 4]]);
    });

    it('goes on in the middle of an answer for a subscriber that leaves and comes back', async () => {
      const { server, publish } = setting;
      const feed = fleetFeed({ nats: server.connect(), identity_id: id, linger: 0 });
      const states = statusOf(feed);
      const numbers: number[] = [];
      const takeOne = (): Subscription =>
        feed.all$.pipe(take(1)).subscribe(event => numbers.push(numberOf(event)));
      let taking = takeOne();
      await waitUntil(() => states.at(-1) === 'live');
      for (let i = 0; i < 5; i++) publish(id);
      for (let i = 1; i <= 5; i++) {
        await waitUntil(() => taking.closed);
        taking = takeOne();
      }
      taking.unsubscribe();
      deepStrictEqual(numbers, [1, 2, 3, 4, 5]);
    });

    it('has a gap if records have expired while nobody was subscribed, and goes on if NATS has lost them all', async () => {
      const { server, publish } = setting;
      const feed = fleetFeed({ nats: await server.connect(), identity_id: id, linger: 0 });
      const states = statusOf(feed);
      const gaps: string[] = [];
      setting.running.push(feed.gap$.subscribe(({ reason }) => gaps.push(reason)));
      const first = follow(feed);
      await waitUntil(() => states.at(-1) === 'live');
      publish(id);
      await waitUntil(() => first.numbers.length === 1);
      first.following.unsubscribe();
      const jsm = await jetstreamManager(await server.connect());
      const stored = async () => (await jsm.streams.info('LOBBY_EVENTS')).state.last_seq;
      for (const count of [1, 2]) {
        const before = await stored();
        publish(id);
        await waitUntil(async () => (await stored()) === before + 1);
        if (count === 1) await jsm.streams.purge('LOBBY_EVENTS', { seq: before + 2 });
      }
      const second = follow(feed);
      await waitUntil(() => second.numbers.length === 1);
      deepStrictEqual([second.numbers, gaps], [[3], ['silence']]);
      second.following.unsubscribe();
      await jsm.streams.delete('LOBBY_EVENTS');
      await jsm.streams.delete('KV_LOBBY_FLEET');
      publish(id);
      await waitUntil(async () => (await stored().catch(() => 0)) > 0);
      const third = follow(feed);
      await waitUntil(() => third.numbers.length === 1);
      publish(id);
      await waitUntil(() => third.numbers.length === 2);
      deepStrictEqual([third.numbers, gaps], [[4, 5], ['silence']]);
    });

    it('misses nothing while its connection is lost, and emits its status', async () => {
      const { server, publish } = setting;
      const feed = fleetFeed({ nats: await server.connect(), identity_id: id });
      const states = statusOf(feed);
      const { numbers } = follow(feed);
      await waitUntil(() => states.at(-1) === 'live');
      publish(id);
      await waitUntil(() => numbers.length === 1);
      await server.stop('SIGKILL');
      await waitUntil(() => states.at(-1) === 'retrying');
      publish(id);
      await server.start();
      await waitUntil(() => numbers.length === 2);
      publish(id);
      await waitUntil(() => numbers.length === 3);
      deepStrictEqual(numbers, [1, 2, 3]);
      strictEqual(states.at(-1), 'live');
    });

    it('begins when its connection is there again, if that was lost before', async () => {
      const { server, publish } = setting;
      const nats = await server.connect();
      await server.stop('SIGKILL');
      await waitUntil(() => nats.info === undefined);
      const feed = fleetFeed({ nats, identity_id: id });
      const errors: unknown[] = [];
      feed.status$.subscribe({ error: (error: unknown) => errors.push(error) });
      const states = statusOf(feed);
      const { numbers } = follow(feed);
      await server.start();
      await waitUntil(() => states.at(-1) === 'live');
      publish(id);
      await waitUntil(() => numbers.length === 1);
      deepStrictEqual(errors, []);
    });

    it('makes no consumer while nothing comes, and has a gap if the stream was created again', async () => {
      const { server, publish } = setting;
      const nats = await server.connect();
      const made: string[] = [];
      nats.subscribe('$JS.API.CONSUMER.CREATE.>', { callback: (_, { subject }) => void made.push(subject) });
      const feed = fleetFeed({ nats: await server.connect(), identity_id: id });
      const states = statusOf(feed);
      const gaps: string[] = [];
      setting.running.push(feed.gap$.subscribe(({ reason }) => gaps.push(reason)));
      const { numbers } = follow(feed);
      await waitUntil(() => states.at(-1) === 'live');
      // It looks again after a second, because a server may lag behind.
      await new Promise(resolve => setTimeout(resolve, 1_200));
      deepStrictEqual(made, []);
      publish(id);
      await waitUntil(() => numbers.length === 1);
      const jsm = await jetstreamManager(nats);
      await jsm.streams.delete('LOBBY_EVENTS');
      publish(id);
      await waitUntil(() => numbers.length === 2);
      deepStrictEqual([numbers, gaps], [[1, 2], ['silence']]);
      ok(made.length > 0);
    });

    it('has all of a stream that was created again and grew while nobody was subscribed', async () => {
      const { server, publish } = setting;
      const nats = await server.connect();
      const feed = fleetFeed({ nats, identity_id: id, linger: 0 });
      const gaps: string[] = [];
      const states = statusOf(feed);
      const first = follow(feed);
      await waitUntil(() => states.at(-1) === 'live');
      publish(id);
      await waitUntil(() => first.numbers.length === 1);
      first.following.unsubscribe();
      const { streams } = await jetstreamManager(nats);
      await streams.delete('LOBBY_EVENTS');
      for (let stored = 1; stored <= 3; stored++) {
        publish(id);
        await waitUntil(
          async () => (await streams.info('LOBBY_EVENTS').catch(() => undefined))?.state.last_seq === stored,
        );
      }
      setting.running.push(feed.gap$.subscribe(({ reason }) => gaps.push(reason)));
      const second = follow(feed);
      await waitUntil(() => second.numbers.length === 3);
      deepStrictEqual([second.numbers, gaps], [[2, 3, 4], ['silence']]);
    });

    it('knows own kinds, and answers that are larger than a message', async () => {
      const { server, emulator } = setting;
      const Chat = struct('Chat', { text: t.string });
      const feed = fleetFeed({
        nats: await server.connect(),
        identity_id: id,
        kinds: { chat_message: Chat },
      });
      const states = statusOf(feed as unknown as EventFeed);
      const chat = firstValueFrom(feed.on('chat_message'));
      await waitUntil(() => states.at(-1) === 'live');
      const text = 'x'.repeat(2_500_000);
      emulator.publish(id, { chat_message: { text } });
      strictEqual((await chat).payload.text, text);
    });

    it('waits for the first worker of its fleet', async () => {
      const { work, server, publish } = setting;
      const feed = fleetFeed({ nats: await server.connect(), identity_id: id, fleet: 'other' });
      const { numbers, errors } = follow(feed);
      await new Promise(resolve => setTimeout(resolve, 300));
      await work({ fleet: 'other' });
      await waitUntil(() => {
        if (numbers.length > 0) return true;
        publish(id);
        return false;
      });
      deepStrictEqual(errors, []);
    });

    it('says that its connection is closed', async () => {
      const { server } = setting;
      const closing = await server.connect();
      const feed = fleetFeed({ nats: closing, identity_id: id });
      const { errors } = follow(feed);
      await new Promise(resolve => setTimeout(resolve, 100));
      await closing.close();
      await waitUntil(() => errors.length > 0);
      ok(String(errors[0]).includes('the connection to NATS was closed'));
    });
  });
}
