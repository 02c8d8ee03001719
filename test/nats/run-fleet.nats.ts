import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { connect, headers, type NatsConnection } from '@nats-io/transport-node';
import {
  EMPTY,
  firstValueFrom,
  lastValueFrom,
  of,
  Subject,
  take,
  toArray,
  type Observable,
  type Subscription,
} from 'rxjs';
import {
  fleetBatches,
  fleetFeed,
  isFleetError,
  runFleet,
  setShards,
  type FleetConfig,
  type FleetEvent,
} from 'lobby-rx/fleet';
import { shardOf } from '../../src/integrations/fleet/worker/assign-shards.js';
import { NatsTime } from '../../src/integrations/fleet/nats/nats-time.js';
import { openFleetToWork } from '../../src/integrations/fleet/nats/open-fleet.js';
import { StoredCheckpoints } from '../../src/integrations/fleet/nats/stored-checkpoints.js';
import { waitUntil } from '../wait-until.js';
import { SERVERS, startNatsServer, versionOf, type NatsServer } from './nats-server.js';
import { Workers } from './chaos/workers.js';
import { numberOf, stage } from './stage.js';

const ROOT = join(import.meta.dirname, '../..');

/** A line of examples/fleet/reader.py. */
interface PrintedRecord {
  readonly identity_id: string;
  readonly at: number;
  readonly gap: object | null;
  readonly events: readonly { readonly kind: { readonly numbered: { readonly number: number } } }[];
}

const client: FleetConfig['client'] = () => ({ url: 'http://127.0.0.1:9', token: 't' });
const identities$ = of(['a']);

for (const program of SERVERS) {
  describe(`runFleet, on NATS ${versionOf(program)}`, () => {
    /** Clusters of this version do not check the expected last message before they append. */
    const isOld = versionOf(program).startsWith('2.9.');
    let server: NatsServer | undefined;
    let setting: Awaited<ReturnType<typeof stage>> | undefined;
    afterEach(async () => {
      await server?.remove();
      await setting?.end();
      server = undefined;
      setting = undefined;
    });
    const ends = (nats: FleetConfig['nats'], pattern: RegExp, more: Partial<FleetConfig> = {}) =>
      rejects(firstValueFrom(runFleet({ nats, identities$, client, ...more })), (error: unknown) => {
        ok(pattern.test(String(error)), String(error));
        ok(isFleetError(error) || String(error).includes('InputError'));
        return true;
      });

    it('says that the server is not there, or refuses the credentials', async () => {
      await ends(connect({ servers: '127.0.0.1:9' }), /was not reached: check its address/);
      server = await startNatsServer({ program, config: 'authorization { token: "right" }' });
      await ends(
        connect({ servers: `127.0.0.1:${server.port}`, token: 'wrong' }),
        /does not accept these credentials/,
      );
    });

    it('says that JetStream is not enabled', async () => {
      server = await startNatsServer({ program, jetStream: false });
      await ends(server.connect(), /JetStream is not enabled/);
    });

    it('refuses replicas on servers whose clusters store both of two appends that compete', async () => {
      server = await startNatsServer({ program });
      const pattern = isOld ? /replicas needs NATS 2\.10 or later; this server has 2\.9/ : /non-clustered/;
      await ends(server.connect(), pattern, { replicas: 3 });
    });

    it('says which right is missing', async () => {
      const users = `authorization { users: [{ user: u, password: p, permissions: { publish: ["$JS.API.INFO"], subscribe: ["_INBOX.>"] } }] }`;
      server = await startNatsServer({ program, config: users });
      await ends(
        server.connect({ user: 'u', pass: 'p' }),
        /may not publish to \$JS\.API\.STREAM\.INFO\.LOBBY_EVENTS/,
      );
    });

    it('needs no more rights than docs/fleet-operations.md lists for each user', async () => {
      const docs = readFileSync(join(ROOT, 'docs/fleet-operations.md'), 'utf8');
      const quoted = (cell: string) =>
        [...cell.matchAll(/`([^`]+)`/g)].map(([, subject]) =>
          JSON.stringify(subject!.replaceAll('<id>', 'ada').replaceAll('<durable>', 'kept')),
        );
      const users = ['worker', 'consumer', 'feed'].map(user => {
        const [, publish = '', subscribe = ''] =
          new RegExp(`\\| a ${user} *\\|(.*?)\\|(.*?)\\|`).exec(docs) ?? [];
        const rights = `publish: [${quoted(publish).join()}], subscribe: [${quoted(subscribe).join()}]`;
        return `{ user: ${user}, password: p, permissions: { ${rights} } }`;
      });
      setting = await stage(
        { program, config: `authorization { users: [${users.join()}] }` },
        { user: 'worker', pass: 'p' },
      );
      const { add, work, followed, publish, server, running } = setting;
      const identity_id = 'ada';
      add(1, { identity_id });
      add(1, { identity_id: 'ben' });
      const worker = await work();
      await followed();
      const seen: string[] = [];
      const consumer = await server.connect({ user: 'consumer', pass: 'p' });
      for (const durable of ['kept', undefined]) {
        const batches$ = fleetBatches({ nats: consumer, ...(durable && { durable }) });
        running.push(batches$.subscribe(({ events }) => seen.push(`${durable}: ${events.length}`)));
      }
      const login = { user: 'feed', pass: 'p', inboxPrefix: '_INBOX.ada' };
      const feed = fleetFeed({ nats: await server.connect(login), identity_id });
      running.push(feed.all$.subscribe(({ kind }) => seen.push(`feed: ${kind}`)));
      await new Promise(resolve => setTimeout(resolve, 500));
      publish(identity_id);
      await waitUntil(() => seen.length === 3);
      deepStrictEqual(seen.sort(), ['feed: unknown', 'kept: 1', 'undefined: 1']);

      publish('ben');
      await waitUntil(() => seen.length === 5);
      deepStrictEqual(await readByFeedOf('ada', 'ben', () => server.connect(login)), []);
      worker.worker.unsubscribe();
      await worker.nats.drain();
      const jsm = await jetstreamManager(await server.connect({ user: 'worker', pass: 'p' }));
      const { state } = await jsm.streams.info('KV_LOBBY_POSITIONS', {
        subjects_filter: '$KV.LOBBY_POSITIONS.checkpoints.>',
      });
      ok(Object.keys(state.subjects ?? {}).length > 0, 'the worker has stored its bare checkpoints');
    });

    it('says what is wrong with a stream that somebody has created', async () => {
      server = await startNatsServer({ program });
      const nats = await server.connect();
      const { streams } = await jetstreamManager(nats);
      const right = {
        subjects: ['lobby.events.*.*'],
        allow_direct: true,
        republish: { src: 'lobby.events.>', dest: 'lobby.live.>' },
      };
      const wrong: readonly (readonly [object, RegExp])[] = [
        [
          { subjects: ['lobby.events.1.*'], republish: undefined },
          /must have the subject lobby\.events\.\*\.\*/,
        ],
        [{ republish: undefined }, /must republish lobby\.events\.> to lobby\.live\.>/],
        [{ republish: { ...right.republish, headers_only: true } }, /whole messages/],
        [{ allow_direct: false }, /allow direct gets/],
        [{ discard: 'new', max_bytes: 1_000_000 }, /discard old messages/],
        [{ max_msgs_per_subject: 1 }, /not limit the messages of a subject/],
        [{ retention: 'workqueue' }, /retention policy limits/],
      ];
      for (const [change, pattern] of wrong) {
        // The server may still be removing the files of the stream before.
        const add = () => streams.add({ name: 'LOBBY_EVENTS', ...right, ...change });
        await waitUntil(() => add().then(Boolean, () => false));
        await ends(nats, pattern);
        await streams.delete('LOBBY_EVENTS');
      }
    });

    it('says that the number of shards stays as it was', async () => {
      server = await startNatsServer({ program });
      const nats = await server.connect();
      const first = runFleet({ nats, identities$, client, shards: 4 });
      deepStrictEqual((await firstValueFrom(first)).kind, 'heartbeat');
      await ends(nats, /shards must be 4, as the workers of this fleet have it, or .*; got 8/, { shards: 8 });
      deepStrictEqual((await firstValueFrom(runFleet({ nats, identities$, client }))).kind, 'heartbeat');
    });

    it('continues each identity after the number of shards was changed, also those without news', async () => {
      setting = await stage({ program });
      const { add, work, followed, publish, server, running } = setting;
      const ids = add(30);
      const nats = await server.connect();
      const change = (shards: number) => lastValueFrom(setShards({ nats, shards }));
      const seen: string[] = [];
      const gaps: string[] = [];
      const consume = () =>
        fleetBatches({ nats, durable: 'kept' }).subscribe(({ identity_id, events, gap }) => {
          if (gap) gaps.push(identity_id);
          for (const event of events) seen.push(`${identity_id} ${numberOf(event)}`);
        });
      const published: string[] = [];
      const publishAll = (some: readonly string[]) => {
        for (const id of some) published.push(`${id} ${publish(id)}`);
      };
      let worker = await work({ shards: 8 });
      await followed();
      let consuming = consume();
      publishAll(ids);
      await rejects(
        change(12),
        (error: unknown) => isFleetError(error) && /workers are alive: .*stop them/.test(String(error)),
      );
      for (const shards of [12, 8, 8]) {
        await waitUntil(() => seen.length === published.length);
        worker.worker.unsubscribe();
        await worker.nats.drain();
        consuming.unsubscribe();
        // No worker polls in this time.
        publishAll(ids.slice(0, 10));
        strictEqual(await change(shards), shards);
        worker = await work({ shards });
        await followed();
        consuming = consume();
        publishAll(ids.slice(5, 20));
      }
      running.push(consuming);
      await waitUntil(() => seen.length >= published.length);
      deepStrictEqual([...seen].sort(), [...published].sort());
      deepStrictEqual(gaps, []);
      const one$ = fleetBatches({ nats, from: 0, of: { identity_id: ids[0]! } });
      const numbers = await firstValueFrom(one$.pipe(take(4), toArray()));
      deepStrictEqual(new Set(numbers.map(({ identity_id }) => identity_id)), new Set([ids[0]]));
    });

    it('says which limits of the stream differ from its own', async () => {
      setting = await stage({ program });
      const { work } = setting;
      const ready = async (more: Partial<FleetConfig>) => {
        const { events } = await work(more);
        await waitUntil(() => events.some(({ kind }) => kind === 'ready'));
        return events.flatMap(event => (event.kind === 'nats_error' ? [String(event.error)] : []));
      };
      deepStrictEqual(await ready({}), []);
      const [told = ''] = await ready({ maxAge: 7_200_000, maxBytes: 2 ** 26, replicas: 1 });
      const said =
        'LOBBY_EVENTS has maxAge 86400000, not 7200000, LOBBY_EVENTS has maxBytes -1, not 67108864: change it';
      ok(told.includes(said), told);
      deepStrictEqual(await ready({ maxAge: 86_400_000 }), []);
      // It ends on a version whose clusters are not sound.
      if (isOld) return;
      const [copies = ''] = await ready({ replicas: 3 });
      for (const name of ['LOBBY_EVENTS', 'LOBBY_ALIVE', 'KV_LOBBY_FLEET', 'KV_LOBBY_POSITIONS'])
        ok(copies.includes(`${name} has replicas 1, not 3`), copies);
      ok(copies.includes('change replicas with setReplicas'), copies);
    });

    it('hands over all bare checkpoints of a shard, however many', async () => {
      setting = await stage({ program });
      const { work } = setting;
      const { nats } = await work({ shards: 1 });
      const opened = await openFleetToWork({ nats, lease: 2_000 });
      const stored = new StoredCheckpoints(opened, new NatsTime());
      const ids = Array.from({ length: 12_000 }, (_, i) => `identity-${i}-${'x'.repeat(30)}`);
      const checkpoint = { sequence: 1, key: 'key', index: '7', since: performance.now() };
      for (const count of [12_000, 10]) {
        await stored.store(0, Object.fromEntries(ids.slice(0, count).map(id => [id, checkpoint])));
        const read = await new StoredCheckpoints(opened, new NatsTime()).read(0);
        deepStrictEqual(Object.keys(read).length, count);
        deepStrictEqual(read[ids[0]!]!.key, 'key');
      }
    });

    it('says which worker follows other identities', async () => {
      setting = await stage({ program });
      const { add, work, followed } = setting;
      const ids = add(10);
      const lease = 1_000;
      const first = await work({ name: 'ada', lease, address: 'nat-1' });
      await followed();
      await work({ name: 'ben', lease, identities$: of(ids.slice(1)), address: 'nat-1' });
      await waitUntil(() => first.events.some(({ kind }) => kind === 'identities_differ'));
      const told = first.events.find(({ kind }) => kind === 'identities_differ');
      deepStrictEqual(told, { kind: 'identities_differ', worker: 'ben', theirs: 9, own: 10 });
    });

    it('says that its lease must be that of the other workers', async () => {
      server = await startNatsServer({ program });
      const nats = await server.connect();
      deepStrictEqual(
        (await firstValueFrom(runFleet({ nats, identities$, client, lease: 2_000 }))).kind,
        'heartbeat',
      );
      await ends(nats, /lease must be 2000, as the workers of this fleet have it; or .*; got 10000/);
    });

    it('says that another worker has its name, and leaves that one alone', async () => {
      setting = await stage({ program });
      const { add, work, followed } = setting;
      add(5);
      const first = await work({ name: 'ada', lease: 1_000 });
      await followed();
      const second = await work({ name: 'ada', lease: 1_000, capacity: 7 });
      await waitUntil(() => second.error() !== undefined);
      ok(String(second.error()).includes('name must be a name that no other worker has; got ada'));
      await new Promise(resolve => setTimeout(resolve, 1_500));
      deepStrictEqual([first.error(), first.worker.closed], [undefined, false]);
      await followed();
    });

    it('asks for the identities of each shard that it has, and knows no others', async () => {
      setting = await stage({ program });
      const { add, work, followed, publish, server, running } = setting;
      const ids = add(30);
      const asked = new Map<string, Set<number>>();
      const start = (name: string) =>
        work({
          name,
          identities$: undefined,
          identitiesOf: (shard: number) => {
            asked.set(name, (asked.get(name) ?? new Set()).add(shard));
            return of(ids.filter(id => shardOf(id, 8) === shard));
          },
        } as object);
      const workers = [await start('ada'), await start('ben')];
      await waitUntil(() => workers.every(({ events }) => events.some(({ kind }) => kind === 'ready')));
      await followed();
      const seen = await consumed(server, running);
      for (const id of ids) publish(id);
      await waitUntil(() => seen.length === 30);
      deepStrictEqual(
        [...asked.values()].map(({ size }) => size),
        [4, 4],
      );
      const wrong = { identities$: undefined, identitiesOf: () => of(['a', 'b', 'c', 'd']) } as object;
      const third = await work({ name: 'cleo', ...wrong });
      await waitUntil(() => third.error() !== undefined);
      ok(/identitiesOf must be ids whose shardOf is \d; got one of \d/.test(String(third.error())));
    });

    it('follows every identity once, after NATS has lost the state of the fleet', async () => {
      setting = await stage({ program });
      const { add, work, followed, publish, server, running } = setting;
      const ids = add(40);
      const workers = await Promise.all(['ada', 'ben', 'cleo'].map(name => work({ name })));
      await followed();
      const held = () =>
        workers.flatMap(({ events }) => {
          const shards = new Set<number>();
          for (const event of events) {
            if (event.kind === 'assigned') shards.add(event.shard);
            if (event.kind === 'released' || event.kind === 'lost') shards.delete(event.shard);
          }
          return [...shards];
        });
      const { streams } = await jetstreamManager(await server.connect());
      await streams.delete('KV_LOBBY_FLEET');
      workers.push(await work({ name: 'dora' }));
      await waitUntil(() => workers[3]!.events.some(({ kind }) => kind === 'assigned'));
      await waitUntil(() => held().length === 8 && new Set(held()).size === 8);
      await followed();
      const seen = await consumed(server, running);
      for (const id of ids) publish(id);
      await waitUntil(() => seen.length >= 40);
      deepStrictEqual(new Set(seen).size, 40);
    });

    it('creates again what NATS has lost, although nothing happens', async () => {
      setting = await stage({ program });
      const { add, work, followed, server } = setting;
      add(20);
      const worker = await work({ lease: 1_000 });
      await followed();
      const { streams } = await jetstreamManager(await server.connect());
      const lost = ['LOBBY_EVENTS', 'KV_LOBBY_POSITIONS', 'LOBBY_ALIVE', 'KV_LOBBY_FLEET'];
      for (const name of lost) await streams.delete(name);
      const isThere = (name: string) =>
        streams.info(name).then(
          () => true,
          () => false,
        );
      await waitUntil(async () => (await Promise.all(lost.map(isThere))).every(Boolean));
      const second = await work({ lease: 1_000 });
      worker.worker.unsubscribe();
      await waitUntil(() => second.events.filter(({ kind }) => kind === 'assigned').length === 8);
      await followed();
    });

    it('ignores workers that somebody has made up', async () => {
      setting = await stage({ program });
      const { add, work, followed, server } = setting;
      add(10);
      const nats = await server.connect();
      const worker = await work({ capacity: 100 });
      await waitUntil(() => worker.events.some(({ kind }) => kind === 'heartbeat'));
      for (const name of ['eve.-100', 'eve.Infinity', 'eve.1e17', 'eve.x', 'eve.0.5', 'e*e.1', 'eve'])
        nats.publish(`lobby.alive.worker.${name}`, '{}');
      await followed();
      let looks = 0;
      nats.subscribe('lobby.changed', {
        callback: () => {
          looks++;
        },
      });
      await new Promise(resolve => setTimeout(resolve, 1_000));
      ok(looks <= 2, `${looks}`);
      deepStrictEqual(worker.events.filter(({ kind }) => kind === 'assigned').length, 8);
    });

    it('is drained before there is a connection', () => {
      const drain$ = new Subject<void>();
      const kinds: string[] = [];
      runFleet({ nats: new Promise<never>(() => undefined), identities$, client, drain$ }).subscribe({
        next: ({ kind }) => kinds.push(kind),
        complete: () => kinds.push('complete'),
      });
      drain$.next();
      deepStrictEqual(kinds, ['drained', 'complete']);
    });

    it('still waits for its connection after drain$ completes without a value', () => {
      const kinds: string[] = [];
      const nats = new Promise<never>(() => undefined);
      const running = runFleet({ nats, identities$, client, drain$: EMPTY }).subscribe({
        complete: () => kinds.push('complete'),
      });
      deepStrictEqual(kinds, []);
      running.unsubscribe();
    });

    it('lets workers join after somebody has deleted or spoilt the state of the fleet', async () => {
      setting = await stage({ program });
      const { add, work, followed, server } = setting;
      add(10);
      await work({ lease: 1_000 });
      await followed();
      const kv = await new Kvm(await server.connect()).open('LOBBY_FLEET');
      for (const spoil of [() => kv.delete('fleet'), () => kv.put('fleet', '{oops')]) {
        await spoil();
        const second = await work({ lease: 1_000 });
        await waitUntil(() => second.events.some(({ kind }) => kind === 'ready'));
        deepStrictEqual(second.error(), undefined);
        second.worker.unsubscribe();
      }
    });

    it('asks again for the identities of a shard if that has failed', async () => {
      setting = await stage({ program });
      const { add, work, followed } = setting;
      const ids = add(10);
      const answers: (() => unknown)[] = [
        () => {
          throw new Error('broken');
        },
        () => undefined,
        () => Promise.reject(new Error('no database')),
      ];
      const of0 = (shard: number) => of(ids.filter(id => shardOf(id, 8) === shard));
      const identitiesOf = (shard: number) => answers.shift()?.call(undefined) ?? of0(shard);
      const worker = await work({ identities$: undefined, identitiesOf } as object);
      await followed();
      await waitUntil(() => worker.events.some(({ kind }) => kind === 'ready'));
      ok(worker.events.filter(({ kind }) => kind === 'identities_error').length >= 2);
      deepStrictEqual(worker.error(), undefined);
    });

    it('says that an id is not a string', async () => {
      server = await startNatsServer({ program });
      const ids = of([7]) as unknown as NonNullable<FleetConfig['identities$']>;
      await ends(
        server.connect(),
        /identities\$ must be the id of an identity: a string of 1 to 256 characters; got 7/,
        {
          identities$: ids,
        },
      );
    });

    it('says that a string is no list of ids', async () => {
      server = await startNatsServer({ program });
      const nats = await server.connect();
      for (const ids of [['alice', 'bob'], of(null)]) {
        const more = { identities$: ids as unknown as NonNullable<FleetConfig['identities$']> };
        await ends(nats, /identities\$ must be an Observable of lists of ids/, more);
      }
    });

    it('continues where it was, although another program has published messages and changed the bucket', async () => {
      setting = await stage({ program });
      const { add, work, followed, publish, server } = setting;
      const [id] = add(8) as [string];
      const first = await work({ lease: 1_000 });
      await followed();
      publish(id);
      const nats = await server.connect();
      const jsm = await jetstreamManager(nats);
      const stored = async () => (await jsm.streams.info('LOBBY_EVENTS')).state.messages;
      await waitUntil(async () => (await stored()) === 9);
      nats.publish(`lobby.events.${shardOf(id, 8)}.${id}`, 'hello');
      const kv = await new Kvm(nats).open('LOBBY_FLEET');
      await kv.put('anything', 'else');
      nats.publish('lobby.alive.worker.nobody.x', '{oops');
      nats.publish('lobby.alive.anything', 'else');
      nats.publish('lobby.changed', 'anything');
      first.worker.unsubscribe();
      publish(id);
      const second = await work({ lease: 1_000 });
      await followed();
      await waitUntil(async () => (await stored()) >= 11);
      const last = await jsm.direct.getMessage('LOBBY_EVENTS', { last_by_subj: `lobby.events.*.${id}` });
      deepStrictEqual(last?.json<{ events: unknown[] }>().events.length, 1);
      deepStrictEqual(
        second.events.filter(({ kind }) => kind === 'gap'),
        [],
      );
    });

    it('says if a message of the server is too small for a record', async () => {
      setting = await stage({ program, config: 'max_payload: 2000' });
      const { add, work } = setting;
      add(1);
      const { events } = await work();
      const isTold = () =>
        events.some(event => event.kind === 'nats_error' && String(event.error).includes('max_payload'));
      await waitUntil(isTold);
    });

    it('releases its shards when it ends, so that another worker goes on at once', async () => {
      setting = await stage({ program });
      const { add, work, followed } = setting;
      add(20);
      const first = await work({ name: 'first' });
      await followed();
      first.worker.unsubscribe();
      await first.nats.drain();
      const at = Date.now();
      const second = await work({ name: 'second' });
      await waitUntil(() => second.events.filter(({ kind }) => kind === 'assigned').length === 8);
      ok(Date.now() - at < 1_900, 'it waited for a lease');
      deepStrictEqual(
        second.events.filter(event => event.kind === 'assigned' && event.from !== undefined),
        [],
      );
    });

    it('completes after drain$ emits, when it has given up everything', async () => {
      setting = await stage({ program });
      const { add, work, followed } = setting;
      add(20);
      const drain$ = new Subject<void>();
      const first = await work({ name: 'first', drain$ });
      await followed();
      const kinds = () => first.events.map(({ kind }) => kind);
      await waitUntil(() => kinds().includes('ready'));
      drain$.next();
      await waitUntil(() => first.worker.closed);
      deepStrictEqual(kinds().slice(-9), [...Array<string>(8).fill('released'), 'drained']);
      await first.nats.close();
      const second = await work({ name: 'second' });
      await waitUntil(() => second.events.some(({ kind }) => kind === 'ready'));
      deepStrictEqual(
        second.events.filter(event => event.kind === 'assigned' && event.from !== undefined),
        [],
      );
    });

    it('creates the stream with the limits of its options', async () => {
      setting = await stage({ program });
      const { work, server } = setting;
      await work({ maxAge: 3_600_000, maxBytes: 2 ** 30 });
      const { streams } = await jetstreamManager(await server.connect());
      const limits = async () => {
        const { max_age, max_bytes } = (await streams.info('LOBBY_EVENTS')).config;
        return [max_age, max_bytes];
      };
      await waitUntil(() => limits().then(Boolean, () => false));
      deepStrictEqual(await limits(), [3_600_000 * 1_000_000, 2 ** 30]);
    });

    it('stores records that another language can read, as docs/fleet-operations.md describes them', async () => {
      setting = await stage({ program });
      const { add, work, followed, publish, server } = setting;
      const [ada, ben] = [add(1, { identity_id: 'a.d a*' }), add(1)].flat() as [string, string];
      await work();
      await followed();
      const reader = spawn('python3', [join(ROOT, 'examples/fleet/reader.py'), `127.0.0.1:${server.port}`]);
      reader.on('error', () => {
        console.error('python3 was not found: apt-get install python3');
        process.exit(2);
      });
      let printed = '';
      reader.stdout.on('data', (data: Buffer) => {
        printed += data.toString();
      });
      publish(ada, { text: 'ä€😀'.repeat(150_000) });
      publish(ben);
      const records = () =>
        printed
          .split('\n')
          .slice(0, -1)
          .map(line => JSON.parse(line) as PrintedRecord)
          .filter(({ events }) => events.length > 0);
      try {
        await waitUntil(() => records().length === 2);
      } finally {
        reader.kill();
      }
      deepStrictEqual(
        records()
          .map(({ identity_id, gap, events }) => [identity_id, gap, events[0]!.kind.numbered.number])
          .sort(([, , a], [, , b]) => Number(a) - Number(b)),
        [
          [ada, null, 1],
          [ben, null, 2],
        ],
      );
      for (const { at } of records()) ok(Math.abs(at - Date.now()) < 60_000);
    });

    it('creates a stream again that was deleted, and loses nothing that a consumer had not read', async () => {
      setting = await stage({ program });
      const { add, work, followed, publish, server, running } = setting;
      const ids = add(5);
      const worker = await work();
      await followed();
      const nats = await server.connect();
      const seen: string[] = [];
      const batches$ = fleetBatches({ nats });
      running.push(
        batches$.subscribe(({ events, gap }) => seen.push(`${events.length} ${gap?.reason ?? ''}`.trim())),
      );
      const { streams } = await jetstreamManager(nats);
      await waitUntil(async () => (await streams.info('LOBBY_EVENTS')).state.consumer_count === 1);
      for (const id of ids) publish(id);
      await waitUntil(() => seen.length === 5);
      await streams.delete('LOBBY_EVENTS');
      const at = Date.now();
      for (const id of ids) publish(id);
      await waitUntil(
        async () => (await streams.info('LOBBY_EVENTS').catch(() => undefined))?.state.messages === 5,
      );
      ok(Date.now() - at < 4_000, 'it took more than two leases');
      // Failed appends are reported at the next tick.
      await waitUntil(() =>
        worker.events.some(
          event =>
            event.kind === 'nats_error' && String(event.error).includes('was created if it was missing'),
        ),
      );
      await waitUntil(() => seen.length === 10);
      deepStrictEqual(worker.error(), undefined);
    });

    it('has positions that go on in a stream that was created again, so that a consumer that compares them drops nothing', async () => {
      setting = await stage({ program });
      const { add, work, followed, publish, server, running } = setting;
      const ids = add(5);
      await work();
      await followed();
      const nats = await server.connect();
      const { streams } = await jetstreamManager(nats);
      // As docs/fleet.md shows, the position and the effect of the events are one transaction.
      const database = { position: 0, storedAt: 0, numbers: [] as number[], gaps: [] as string[] };
      const consume = () =>
        fleetBatches({
          nats,
          durable: 'database',
          from: database,
          ack: ({ position, storedAt, events, gap, identity_id }) => {
            if (position <= database.position) return;
            database.position = position;
            database.storedAt = storedAt;
            database.numbers.push(...events.map(numberOf));
            if (gap) database.gaps.push(identity_id);
          },
        }).subscribe();
      let consuming = consume();
      for (let round = 1; round <= 40; round++) for (const id of ids) publish(id);
      await waitUntil(() => new Set(database.numbers).size === 200);
      for (const isRunning of [true, false]) {
        const before = database.numbers.length;
        if (!isRunning) consuming.unsubscribe();
        await streams.delete('LOBBY_EVENTS');
        for (const id of ids) publish(id);
        await waitUntil(
          async () => (await streams.info('LOBBY_EVENTS').catch(() => undefined))?.state.messages === 5,
        );
        if (!isRunning) consuming = consume();
        await waitUntil(() => database.numbers.length === before + 5);
        deepStrictEqual(database.gaps.splice(0).sort(), [...ids].sort());
      }
      running.push(consuming);
      const all = Array.from({ length: 210 }, (_, i) => i + 1);
      deepStrictEqual(
        [...database.numbers].sort((a, b) => a - b),
        all,
      );
    });

    it('says that a later version has stored a record, stores nothing after it, and reads nothing after it', async () => {
      setting = await stage({ program });
      const { add, work, followed, publish, server, running } = setting;
      const [id] = add(1) as [string];
      const worker = await work();
      await followed();
      publish(id);
      const nats = await server.connect();
      const { streams } = await jetstreamManager(nats);
      const messages = async () => (await streams.info('LOBBY_EVENTS')).state.messages;
      // The checkpoint where it begins, and the event.
      await waitUntil(async () => (await messages()) === 2);
      const stored = (await streams.getMessage('LOBBY_EVENTS', { seq: 1 }))!;
      worker.worker.unsubscribe();
      await worker.nats.close();
      const later = headers();
      for (const [name, [value = '']] of stored.header) {
        if (name.startsWith('Lobby-')) later.set(name, value);
      }
      later.set('Lobby-Version', '3');
      await jetstream(nats).publish(stored.subject, stored.data, { headers: later });
      const next = await work();
      publish(id);
      const isSaid = (error: unknown) =>
        String(error).includes('later version of lobby-rx (Lobby-Version: 3)');
      await waitUntil(() => next.events.some(event => event.kind === 'nats_error' && isSaid(event.error)));
      strictEqual(await messages(), 3);
      const reads: readonly Observable<unknown>[] = [
        fleetBatches({ nats, from: 0 }),
        fleetFeed({ nats, identity_id: id }).all$,
      ];
      for (const read$ of reads) {
        const errors: unknown[] = [];
        running.push(read$.subscribe({ error: (error: unknown) => errors.push(error) }));
        await waitUntil(() => errors.length === 1);
        ok(isSaid(errors[0]), String(errors[0]));
      }
    });

    it('stores lost records again, and a consumer that had read them gets a gap', async () => {
      setting = await stage({ program });
      const { add, work, followed, publish, server, running } = setting;
      const ids = add(5);
      const worker = await work();
      await followed();
      const consume = async (config: { readonly durable?: string; readonly from?: 0 }) => {
        const numbers: number[] = [];
        const gaps: string[] = [];
        const batches$ = fleetBatches({ nats: await server.connect(), ...config });
        const consuming = batches$.subscribe(({ events, gap, identity_id }) => {
          if (gap) gaps.push(identity_id);
          numbers.push(...events.map(numberOf));
        });
        running.push(consuming);
        return { numbers, gaps };
      };
      const reader = await consume({ durable: 'reader' });
      for (const id of ids) publish(id);
      await waitUntil(() => reader.numbers.length === 5);
      await server.stop();
      const putBack = server.copy();
      await server.start();
      await followed();
      for (const id of ids) publish(id);
      await waitUntil(() => reader.numbers.length === 10);
      await server.stop('SIGKILL');
      putBack();
      await server.start();
      const late = await consume({ from: 0 });
      await waitUntil(() => late.numbers.length === 10);
      for (const id of ids) publish(id);
      await waitUntil(() => late.numbers.length === 15 && new Set(reader.numbers).size === 15);
      const all = Array.from({ length: 15 }, (_, i) => i + 1);
      deepStrictEqual(
        [...late.numbers].sort((a, b) => a - b),
        all,
      );
      deepStrictEqual(late.gaps, []);
      deepStrictEqual([...reader.gaps].sort(), [...ids].sort());
      deepStrictEqual(worker.error(), undefined);
    });

    it('says that it has too much to do if it always has too little CPU', async () => {
      setting = await stage({ program });
      const { add, followed, server, service, tokens } = setting;
      const events: FleetEvent[] = [];
      const workers = new Workers({
        nats: [server.port],
        url: service.url,
        lease: 2_000,
        shards: 8,
        tokenOf: id => tokens.get(id)!,
        onEvent: (_, event) => events.push(event),
      });
      workers.follow(add(10));
      const name = await workers.start();
      await followed();
      const isOverloaded = () => events.some(event => event.kind === 'overloaded' && event.by === 'late');
      while (!isOverloaded()) {
        workers.signal(name, 'SIGSTOP');
        await new Promise(resolve => setTimeout(resolve, 1_500));
        workers.signal(name, 'SIGCONT');
        await new Promise(resolve => setTimeout(resolve, 100));
      }
      const lates = events.flatMap(event => (event.kind === 'heartbeat' ? [event.heartbeat.late] : []));
      ok(Math.max(...lates) > 1_000, lates.join());
      workers.signal(name, 'SIGKILL');
    });

    it('uses the clock of NATS if the clocks of workers are wrong or set', async () => {
      setting = await stage({ program });
      const { add, followed, publish, server, service, tokens, running } = setting;
      const ids = add(10);
      const events: FleetEvent[] = [];
      const workers = new Workers({
        nats: [server.port],
        url: service.url,
        lease: 2_000,
        shards: 8,
        tokenOf: id => tokens.get(id)!,
        onEvent: (_, event) => events.push(event),
      });
      workers.follow(ids);
      const first = await workers.start(-400_000);
      await followed();
      const seen: string[] = [];
      running.push(
        fleetBatches({ nats: await server.connect(), from: 0 }).subscribe(({ events, gap }) =>
          seen.push(gap?.reason ?? events.map(numberOf).join()),
        ),
      );
      for (const id of ids) publish(id);
      await waitUntil(() => seen.length === 10);
      // A worker that joins others takes its shards at once.
      const assigned = () => events.filter(({ kind }) => kind === 'assigned').length;
      const second = await workers.start(7_200_000);
      await waitUntil(() => assigned() > 8);
      workers.leave(first);
      await waitUntil(() => assigned() === 16);
      for (const id of ids) publish(id);
      await waitUntil(() => seen.length === 20);
      workers.setClock(second, -3_600_000);
      const beats = () => events.filter(({ kind }) => kind === 'heartbeat').length;
      const before = beats();
      await waitUntil(() => beats() === before + 2);
      for (const id of ids) publish(id);
      await waitUntil(() => seen.length === 30);
      workers.signal(second, 'SIGKILL');
      const third = await workers.start();
      await waitUntil(() => assigned() === 24);
      for (const id of ids) publish(id);
      await waitUntil(() => seen.length === 40);
      workers.leave(third);
      deepStrictEqual(
        [...seen].sort((a, b) => Number(a) - Number(b)),
        Array.from({ length: 40 }, (_, i) => String(i + 1)),
      );
    });

    it('polls all identities, although its process stands still at least once a second', async () => {
      setting = await stage({ program });
      const { add, work, followed } = setting;
      add(600);
      const stopping = setInterval(() => {
        const end = performance.now() + 250;
        while (performance.now() < end);
      }, 900);
      try {
        const { events } = await work();
        await followed();
        await waitUntil(() => events.some(({ kind }) => kind === 'ready'));
      } finally {
        clearInterval(stopping);
      }
    });

    if (!isOld) {
      it('says that NATS answers but stores nothing, if its disk is full', async () => {
        setting = await stage({ program, disk: '16m' });
        const { add, work, followed, publish } = setting;
        const [id = ''] = add(1);
        const { events } = await work();
        await followed();
        const errors = () =>
          events.flatMap(event => (event.kind === 'nats_error' ? [String(event.error)] : []));
        const stored = () => {
          const beats = events.flatMap(event => (event.kind === 'heartbeat' ? [event.heartbeat] : []));
          return beats.at(-1)?.events ?? 0;
        };
        const text = randomBytes(1_000_000).toString('hex');
        for (let published = 1; errors().length === 0; published++) {
          publish(id, { text });
          await waitUntil(() => stored() === published || errors().length > 0);
        }
        await waitUntil(() => errors().some(error => error.includes('is its disk full?')));
        const said = errors().find(error => error.includes('is its disk full?'));
        ok(/NATS answers but stores nothing in LOBBY_EVENTS: .* Make room, and restart it/.test(said!), said);
      });
    }

    it('goes on after its password was refused for a moment, if its connection ignores that', async () => {
      const login = (pass: string) => `authorization { user: "fleet", password: "${pass}" }`;
      const options = { user: 'fleet', pass: 'right', reconnectTimeWait: 100 };
      setting = await stage({ program, config: login('right') }, { ...options, ignoreAuthErrorAbort: true });
      const { server, add, work } = setting;
      add(2);
      const { events, error } = await work();
      const ending = await work({ nats: server.connect(options) });
      await waitUntil(() => [events, ending.events].every(all => all.some(({ kind }) => kind === 'ready')));
      server.configure(login('wrong'));
      await waitUntil(() => ending.error() !== undefined);
      ok(String(ending.error()).includes('ignoreAuthErrorAbort'), String(ending.error()));
      server.configure(login('right'));
      const before = events.length;
      await waitUntil(() => events.slice(before).some(event => event.kind === 'heartbeat' && event.stored));
      deepStrictEqual(error(), undefined);
    });

    it('goes on after its server was away', async () => {
      setting = await stage({ program });
      const { add, work, followed, publish, server } = setting;
      const ids = add(5);
      const worker = await work();
      await followed();
      await server.stop('SIGKILL');
      for (const id of ids) publish(id);
      await new Promise(resolve => setTimeout(resolve, 3_000));
      await server.start();
      const jsm = await jetstreamManager(await server.connect());
      const stored = async () => (await jsm.streams.info('LOBBY_EVENTS')).state.messages;
      await waitUntil(async () => (await stored()) === 10);
      deepStrictEqual(
        worker.events.filter(({ kind }) => kind === 'lost' || kind === 'gap'),
        [],
      );
      deepStrictEqual(worker.error(), undefined);
    });
  });
}

/** The numbers of the events that a consumer has read from the beginning, as they come. */
async function consumed(server: NatsServer, running: Subscription[]): Promise<readonly number[]> {
  const seen: number[] = [];
  const batches$ = fleetBatches({ nats: await server.connect(), from: 0 });
  running.push(batches$.subscribe(({ events }) => seen.push(...events.map(numberOf))));
  return seen;
}

/**
 * Tries every request by which the feed of one identity could read records of another. Returns
 * those that succeeded.
 */
async function readByFeedOf(
  own: string,
  other: string,
  connect: () => Promise<NatsConnection>,
): Promise<readonly string[]> {
  const api = '$JS.API';
  const subject = `lobby.events.${shardOf(other, 8)}.${other}`;
  const ownSubject = `lobby.events.${shardOf(own, 8)}.${own}`;
  const create = (more: object) => ({
    stream_name: 'LOBBY_EVENTS',
    config: { name: own, ack_policy: 'none', deliver_policy: 'all', ...more },
    action: 'create',
  });
  const requests: readonly (readonly [string, unknown])[] = [
    [`${api}.DIRECT.GET.LOBBY_EVENTS`, { seq: 2 }],
    [`${api}.DIRECT.GET.LOBBY_EVENTS`, { last_by_subj: subject }],
    [`${api}.DIRECT.GET.LOBBY_EVENTS`, { seq: 1, next_by_subj: subject }],
    [`${api}.DIRECT.GET.LOBBY_EVENTS`, { multi_last: ['>'], batch: 10 }],
    [`${api}.DIRECT.GET.LOBBY_EVENTS.${subject}`, undefined],
    [`${api}.STREAM.MSG.GET.LOBBY_EVENTS`, { seq: 2 }],
    [`${api}.STREAM.INFO.LOBBY_EVENTS`, { subjects_filter: '>' }],
    [`${api}.CONSUMER.CREATE.LOBBY_EVENTS`, create({ filter_subject: subject })],
    [`${api}.CONSUMER.CREATE.LOBBY_EVENTS.${own}`, create({})],
    [`${api}.CONSUMER.CREATE.LOBBY_EVENTS.${own}.${subject}`, create({ filter_subject: subject })],
    [`${api}.CONSUMER.CREATE.LOBBY_EVENTS.${own}.${ownSubject}`, create({ filter_subject: subject })],
    [`${api}.CONSUMER.CREATE.LOBBY_EVENTS.${own}.${ownSubject}`, create({ filter_subjects: [subject] })],
    [`${api}.CONSUMER.CREATE.LOBBY_EVENTS.${own}.${ownSubject}`, create({})],
    [`${api}.CONSUMER.DURABLE.CREATE.LOBBY_EVENTS.${own}`, create({ durable_name: own })],
    [`${api}.CONSUMER.MSG.NEXT.LOBBY_EVENTS.${other}`, { batch: 1, no_wait: true }],
  ];
  const read: string[] = [];
  for (const [request, payload] of requests) {
    const nats = await connect();
    const answer = await nats
      .request(request, payload === undefined ? '' : JSON.stringify(payload), { timeout: 500 })
      .catch(() => undefined);
    const text = answer?.string() ?? '';
    if (text !== '' && !text.includes('"error"')) read.push(`${request} ${JSON.stringify(payload)}: ${text}`);
    await nats.close();
  }
  for (const heard of [`lobby.live.*.${other}`, 'lobby.live.>', 'lobby.events.>', '_INBOX.>', '$KV.>']) {
    const nats = await connect();
    const subscription = nats.subscribe(heard, { callback: () => undefined });
    await nats.flush();
    await nats.flush();
    if (!subscription.isClosed()) read.push(heard);
    await nats.close();
  }
  return read;
}
