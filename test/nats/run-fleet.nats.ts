import { deepStrictEqual, ok, rejects } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { connect } from '@nats-io/transport-node';
import { firstValueFrom, of } from 'rxjs';
import { fleetBatches, fleetFeed, isFleetError, runFleet, type FleetConfig } from 'lobby-rx/fleet';
import { shardOf } from '../../src/fleet/worker/assign-shards.js';
import { waitUntil } from '../wait-until.js';
import { SERVERS, startNatsCluster, startNatsServer, versionOf, type NatsServer } from './nats-server.js';
import { stage } from './stage.js';

const client: FleetConfig['client'] = () => ({ url: 'http://127.0.0.1:9', token: 't' });
const identities$ = of(['a']);

for (const program of SERVERS) {
  describe(`runFleet, on NATS ${versionOf(program)}`, () => {
    /** Its clusters do not compare before they append. */
    const isOld = versionOf(program).startsWith('2.9.');
    let server: NatsServer | undefined;
    let setting: Awaited<ReturnType<typeof stage>> | undefined;
    let cluster: readonly NatsServer[] = [];
    afterEach(async () => {
      await server?.remove();
      await setting?.end();
      for (const one of cluster) await one.remove();
      server = undefined;
      setting = undefined;
      cluster = [];
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

    it('needs no more rights than docs/fleet.md lists for each user', async () => {
      const docs = readFileSync(join(import.meta.dirname, '../../docs/fleet.md'), 'utf8');
      const quoted = (cell: string) =>
        [...cell.matchAll(/`([^`]+)`/g)].map(([, subject]) => JSON.stringify(subject!.replace('<id>', '*')));
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
      const [identity_id] = add(2) as [string, string];
      const worker = await work();
      await followed();
      const seen: string[] = [];
      const consumer = await server.connect({ user: 'consumer', pass: 'p' });
      for (const durable of ['kept', undefined]) {
        const batches$ = fleetBatches({ nats: consumer, ...(durable && { durable }) });
        running.push(batches$.subscribe(({ events }) => seen.push(`${durable}: ${events.length}`)));
      }
      const feed = fleetFeed({ nats: await server.connect({ user: 'feed', pass: 'p' }), identity_id });
      running.push(feed.all$.subscribe(({ kind }) => seen.push(`feed: ${kind}`)));
      await new Promise(resolve => setTimeout(resolve, 500));
      publish(identity_id);
      await waitUntil(() => seen.length === 3);
      deepStrictEqual(seen.sort(), ['feed: unknown', 'kept: 1', 'undefined: 1']);
      worker.worker.unsubscribe();
      await worker.nats.drain();
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
        // A server may still be removing the files of the one before.
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
      deepStrictEqual((await firstValueFrom(first)).kind, 'beat');
      await ends(nats, /shards must be 4, as the workers of this fleet have it; got 8/, { shards: 8 });
      deepStrictEqual((await firstValueFrom(runFleet({ nats, identities$, client }))).kind, 'beat');
    });

    it('says that an id is not a string', async () => {
      server = await startNatsServer({ program });
      const ids = of([7]) as unknown as FleetConfig['identities$'];
      await ends(
        server.connect(),
        /identities\$ must be the id of an identity: a string of 1 to 256 characters; got 7/,
        {
          identities$: ids,
        },
      );
    });

    it('says that a text is no list of ids', async () => {
      server = await startNatsServer({ program });
      const nats = await server.connect();
      for (const ids of [['alice', 'bob'], of(null)]) {
        const more = { identities$: ids as unknown as FleetConfig['identities$'] };
        await ends(nats, /identities\$ must be an Observable of lists of ids/, more);
      }
    });

    it('continues where it was, whatever somebody else has published or put into the bucket', async () => {
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
      await kv.put('shard.1', '{oops');
      await kv.put('shard.2', '{"owner":null,"epoch":7,"idle":null}');
      await kv.put('worker.nobody', '{}');
      await kv.put('anything', 'else');
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
        events.some(event => event.kind === 'trouble' && String(event.error).includes('max_payload'));
      await waitUntil(isTold);
    });

    it('releases what it holds when it ends, so that another worker goes on at once', async () => {
      setting = await stage({ program });
      const { add, work, followed } = setting;
      add(20);
      const first = await work({ name: 'first' });
      await followed();
      first.worker.unsubscribe();
      await first.nats.drain();
      const at = Date.now();
      const second = await work({ name: 'second' });
      await waitUntil(() => second.events.filter(({ kind }) => kind === 'claimed').length === 8);
      ok(Date.now() - at < 1_900, 'it waited for a lease');
      deepStrictEqual(
        second.events.filter(event => event.kind === 'claimed' && event.from !== undefined),
        [],
      );
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
      const troubles = worker.events.flatMap(event =>
        event.kind === 'trouble' ? [String(event.error)] : [],
      );
      ok(
        troubles.some(text => text.includes('the stream LOBBY_EVENTS was not found')),
        troubles.join('; '),
      );
      await waitUntil(() => seen.length === 10);
      deepStrictEqual(worker.error(), undefined);
    });

    if (!isOld) {
      it('waits for a cluster that has just been started, and says so', async () => {
        cluster = await startNatsCluster(program);
        setting = await stage({ program });
        const { add, work, publish, running } = setting;
        const [id] = add(1) as [string];
        const workers = await Promise.all(cluster.map(one => work({ replicas: 3, nats: one.connect() })));
        await waitUntil(() => workers.some(({ events }) => events.some(({ kind }) => kind === 'claimed')));
        const waited = workers.flatMap(({ events }) => events.filter(({ kind }) => kind === 'trouble'));
        ok(waited.length > 0, 'none has said that it waits');
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
    }

    it('goes on after its server was away', async function () {
      this.timeout(60_000);
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
