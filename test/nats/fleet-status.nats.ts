import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { lastValueFrom, timer } from 'rxjs';
import { fleetBatches, fleetStatus, runFleet, type FleetStatus } from 'lobby-rx/fleet';
import { fleetProblems, type FleetProblem } from '../../src/tools/cli/fleet/fleet-problems.js';
import { lobbyRx } from '../tools/cli/lobby-rx.js';
import { waitUntil } from '../wait-until.js';
import { SERVERS, startNatsCluster, versionOf, type NatsServer } from './nats-server.js';
import { stage } from './stage.js';

const DOCS = join(import.meta.dirname, '../../docs/fleet-operations.md');

/** A user of NATS with the rights of a row of the docs. */
function userOf(row: string, user: string): string {
  const [, publish = '', subscribe = ''] =
    new RegExp(`\\| ${row} *\\|(.*?)\\|(.*?)\\|`).exec(readFileSync(DOCS, 'utf8')) ?? [];
  const quoted = (cell: string) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, subject]) => JSON.stringify(subject)).join();
  const rights = `publish: [${quoted(publish)}], subscribe: [${quoted(subscribe)}]`;
  return `{ user: ${user}, password: p, permissions: { ${rights} } }`;
}

for (const program of SERVERS) {
  describe(`fleetStatus, drainWorker and lobby-rx fleet, on NATS ${versionOf(program)}`, function () {
    this.timeout(90_000);
    let setting: Awaited<ReturnType<typeof stage>> | undefined;
    let servers: readonly NatsServer[] = [];
    afterEach(async () => {
      await setting?.end();
      for (const server of servers) await server.remove();
      setting = undefined;
      servers = [];
    });
    /** Calls the command, and returns what it printed. */
    const called = (args: readonly string[], env: Readonly<Record<string, string>>) =>
      lobbyRx(['fleet', ...args], { env }).exited;

    it('shows workers, consumers and streams, and drains a worker, with the rights of the docs', async () => {
      const users = [
        userOf('a worker', 'worker'),
        userOf('`lobby-rx fleet`', 'operator'),
        userOf('`fleet drain`', 'drainer'),
        '{ user: all, password: p }',
      ];
      setting = await stage(
        { program, config: `authorization { users: [${users.join()}] }` },
        { user: 'worker', pass: 'p' },
      );
      const { add, work, followed, publish, server, running } = setting;
      const ids = add(6);
      const ada = await work({ name: 'ada' });
      await work({ name: 'ben' });
      await followed();
      const nats = await server.connect({ user: 'all', pass: 'p' });
      const ack = () => timer(600_000);
      running.push(fleetBatches({ nats, durable: 'stuck', from: 0, ack }).subscribe());
      running.push(fleetBatches({ nats, durable: 'billing', from: 0 }).subscribe());
      for (const id of ids) publish(id);
      const status = () => lastValueFrom(fleetStatus({ nats }));
      await waitUntil(async () => {
        const { consumers, workers } = await status();
        return (
          workers.reduce((sum, { live }) => sum + live, 0) === 6 &&
          consumers.some(({ durable, messages }) => durable === 'billing' && messages === 0) &&
          consumers.some(({ durable, messages }) => durable === 'stuck' && messages === 6)
        );
      });
      const { workers, consumers, streams, shards, lease } = await status();
      deepStrictEqual(workers.map(({ worker }) => worker).sort(), ['ada', 'ben']);
      strictEqual(shards, 8);
      strictEqual(lease, 2_000);
      ok(consumers.find(({ durable }) => durable === 'stuck')!.age > 0);
      deepStrictEqual(
        streams.map(({ name }) => name),
        ['LOBBY_EVENTS', 'LOBBY_ALIVE', 'KV_LOBBY_FLEET', 'KV_LOBBY_POSITIONS'],
      );

      const env = { NATS_URL: `nats://127.0.0.1:${server.port}`, NATS_PASSWORD: 'p' };
      const shown = await called(['--late', '600'], { ...env, NATS_USER: 'operator' });
      strictEqual(shown.err, '');
      const seen = JSON.parse(shown.out) as FleetStatus & { readonly problems: readonly FleetProblem[] };
      deepStrictEqual(seen.unknown, []);
      // On a busy machine, timers are late indeed.
      deepStrictEqual(
        seen.problems.filter(({ text }) => !text.includes('late by')),
        [],
      );
      strictEqual(shown.code, seen.problems.length === 0 ? 0 : 1);
      strictEqual(seen.workers.length, 2);

      const refused = await called(['drain', 'ada'], { ...env, NATS_USER: 'operator' });
      strictEqual(refused.code, 1);
      match(refused.err, /^lobby-rx: this user of NATS may not publish to lobby\.changed\n$/);
      const nobody = await called(['drain', 'cleo'], { ...env, NATS_USER: 'drainer' });
      strictEqual(nobody.code, 1);
      match(nobody.err, /no worker cleo is alive; these are: (ada, ben|ben, ada)/);
      const drained = await called(['drain', 'ada'], { ...env, NATS_USER: 'drainer' });
      deepStrictEqual(drained, { code: 0, out: '{"drained":"ada"}\n', err: '' });
      await waitUntil(() => ada.worker.closed);
      strictEqual(ada.events.at(-1)?.kind, 'drained');
      // The order was for that process, not for the name.
      const again = await work({ name: 'ada' });
      await waitUntil(() => again.events.some(({ kind }) => kind === 'ready'));
      await waitUntil(async () => (await status()).workers.length === 2);
    });

    it('says why polls fail, what may not be read, and that NATS is not there', async () => {
      setting = await stage({ program });
      const { add, work, server, tokens, service } = setting;
      const [id] = add(2) as [string];
      tokens.set(id, 'wrong');
      const nats = await server.connect();
      const { events } = await work({ name: 'ada' });
      await waitUntil(() => events.some(({ kind }) => kind === 'identity_rejected'));
      await waitUntil(async () => {
        const { workers } = await lastValueFrom(fleetStatus({ nats }));
        return workers.some(({ rejected }) => rejected === 1);
      });
      const texts = async () =>
        fleetProblems(await lastValueFrom(fleetStatus({ nats })), 60_000).map(
          ({ of, text }) => `${of} ${text}`,
        );
      match(
        (await texts()).join('\n'),
        new RegExp(`ada 1 identity is rejected by the service, such as ${id}: \\S`),
      );
      ok(!(await texts()).join('\n').includes('wrong'));
      await service.close();
      await waitUntil(async () =>
        (await texts()).some(text => /ada 1 identity is retrying, such as .*: /.test(text)),
      );

      const unreached = await called([], { NATS_URL: 'nats://127.0.0.1:9' });
      strictEqual(unreached.code, 3);
      match(unreached.err, /^lobby-rx: the NATS server was not reached: check its address\n$/);
      const url = `nats://127.0.0.1:${server.port}`;
      const other = await called(['--fleet', 'other'], { NATS_URL: url });
      strictEqual(other.code, 1);
      match(other.err, /the fleet does not exist yet/);
    });

    it('says that a consumer with its rights alone cannot see everything, and that a login is refused', async () => {
      const users = [userOf('a consumer', 'consumer'), '{ user: all, password: p }'];
      setting = await stage(
        { program, config: `authorization { users: [${users.join()}] }` },
        { user: 'all', pass: 'p' },
      );
      const { add, work, followed, server } = setting;
      add(1);
      await work();
      await followed();
      const nats = await server.connect({ user: 'consumer', pass: 'p' });
      const { workers, unknown, streams } = await lastValueFrom(fleetStatus({ nats }));
      strictEqual(workers.length, 0);
      strictEqual(streams[0]?.name, 'LOBBY_EVENTS');
      match(
        unknown.join('\n'),
        /workers: this user of NATS may not publish to \$JS\.API\.STREAM\.INFO\.LOBBY_ALIVE/,
      );
      const wrong = await called([], {
        NATS_URL: `nats://127.0.0.1:${server.port}`,
        NATS_USER: 'all',
        NATS_PASSWORD: 's3cret',
      });
      strictEqual(wrong.code, 1);
      match(wrong.err, /^lobby-rx: the NATS server does not accept these credentials\n$/);
    });

    if (!versionOf(program).startsWith('2.9.'))
      it('shows the copies of the streams, and one that is offline', async () => {
        servers = await startNatsCluster(program);
        const nats = await servers[0]!.connect();
        const running = runFleet({
          nats,
          identities$: [['a']],
          client: () => ({ url: 'http://127.0.0.1:9', token: 't' }),
          replicas: 3,
        }).subscribe();
        const read = () => lastValueFrom(fleetStatus({ nats }));
        await waitUntil(() =>
          read().then(
            ({ streams }) => streams.length === 4 && streams.every(({ copies }) => copies.length === 3),
            () => false,
          ),
        );
        await servers[2]!.stop('SIGKILL');
        // A leader that was there is elected anew meanwhile.
        const behind = async () => {
          const problems = fleetProblems(await read(), 60_000);
          return problems.some(({ text }) => /^has a copy on s2 that is (offline|not current)$/.test(text));
        };
        await waitUntil(() => behind().catch(() => false));
        running.unsubscribe();

        // The only copy of a stream goes down. The rest is shown all the same.
        await servers[2]!.start();
        const { streams } = await jetstreamManager(nats);
        await waitUntil(() =>
          streams.update('KV_LOBBY_FLEET', { num_replicas: 1 }).then(Boolean, () => false),
        );
        let holder: string | undefined;
        await waitUntil(async () => {
          const { cluster } = await streams.info('KV_LOBBY_FLEET').catch(() => ({ cluster: undefined }));
          // Until the other copies are gone, another server may become the one that keeps it.
          holder = cluster?.replicas?.length ? undefined : cluster?.leader;
          return holder !== undefined;
        });
        await servers[Number(holder!.slice(1))]!.stop('SIGKILL');
        await waitUntil(() =>
          read().then(
            ({ streams, unknown }) =>
              streams.length === 3 && unknown.some(text => text.startsWith('KV_LOBBY_FLEET: ')),
            () => false,
          ),
        );
      });
  });
}
