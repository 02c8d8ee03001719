import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { compileFunction } from 'node:vm';
import { firstValueFrom, take } from 'rxjs';
import ts from 'typescript';
import * as lobbyRx from 'lobby-rx';
import type { Client, EventFeed } from 'lobby-rx';
import * as browser from 'lobby-rx/browser';
import * as codecs from 'lobby-rx/codecs';
import { createEmulator, listen, seedWorld } from 'lobby-rx/emulator';
import * as lobbyServer from 'lobby-rx/lobby-server';
import * as opentelemetry from 'lobby-rx/opentelemetry';
import * as views from 'lobby-rx/views';
import { recipe } from '../consumers/recipe.js';
import { waitUntil } from '../wait-until.js';

const MODULES: Readonly<Record<string, unknown>> = {
  'lobby-rx': lobbyRx,
  'lobby-rx/browser': browser,
  'lobby-rx/codecs': codecs,
  'lobby-rx/lobby-server': lobbyServer,
  'lobby-rx/opentelemetry': opentelemetry,
  'lobby-rx/views': views,
};
const load = createRequire(import.meta.url);

/**
 * Runs the one block of a page that has a text, with the names that the page says are yours, and
 * returns what it exports and declares.
 */
function run(
  page: string,
  text: string,
  given: Readonly<Record<string, unknown>>,
  { declares = [], replaced = [] }: RunOptions = {},
): unknown {
  let code = recipe(page, text);
  for (const [old, by] of replaced) {
    ok(code.includes(old), `${page} has no ${old}`);
    code = code.replaceAll(old, by);
  }
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  const exported = {};
  const assigned = declares.map(name => `exports.${name} = ${name};`).join('\n');
  const names = ['require', 'exports', ...Object.keys(given)];
  const program = compileFunction(`${outputText}\n${assigned}`, names) as (...values: unknown[]) => void;
  program((name: string) => MODULES[name] ?? (load(name) as unknown), exported, ...Object.values(given));
  return exported;
}

interface RunOptions {
  /** What the block declares and does not export. */
  readonly declares?: readonly string[];
  /** What is another thing here, such as the URL of the service. */
  readonly replaced?: readonly (readonly [old: string, by: string])[];
}

interface Session {
  readonly token: string;
  readonly renew: () => Promise<string | null>;
}
interface SignIn {
  readonly signIn: (credentials: object) => Promise<Session>;
}
type Ack = (
  batch: { readonly events: readonly string[] },
  checkpoint: object,
) => Promise<{ readonly watch: string; readonly error: Error } | undefined> | undefined;

/** Locks as a browser has them: whoever asks waits for the one before. */
function fakeLocks() {
  const held: string[] = [];
  let last: Promise<unknown> = Promise.resolve();
  return {
    held,
    navigator: {
      locks: {
        request: (name: string, work: () => unknown) => {
          last = last.then(() => {
            held.push(name);
            return work();
          });
          return last;
        },
      },
    },
  };
}

const API = "'https://api.example.com'";

describe('Blocks of the pages that need more than an emulator', () => {
  const servers: { close: () => unknown }[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });

  /** An emulator over HTTP, with an identity that has a session. */
  const emulated = async () => {
    const emulator = createEmulator();
    const world = seedWorld(emulator);
    const service = await listen(emulator);
    servers.push(service);
    let renewals = 0;
    const session = {
      token: world.identityToken,
      renew: () => {
        renewals++;
        session.token = emulator.renewToken(session.token);
        return Promise.resolve(session.token);
      },
    };
    return { emulator, world, session, renewals: () => renewals, url: `'${service.url}'` };
  };

  /** A server that answers by the method and the path of a request. */
  const answering = async (answers: Readonly<Record<string, object>>) => {
    const asked: string[] = [];
    const server: Server = createServer(({ method, url }, response) => {
      const [path] = url!.split('?');
      asked.push(`${method} ${path}`);
      const answer = answers[`${method} ${path}`];
      response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? {}));
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    servers.push({
      close: () => {
        server.closeAllConnections();
        server.close();
      },
    });
    return { asked, url: `'http://127.0.0.1:${(server.address() as AddressInfo).port}'` };
  };

  it('sign in, and renew one after the other: docs/tokens.md', async () => {
    const { navigator, held } = fakeLocks();
    let cookie = 0;
    let renewing = 0;
    const fetch = async (path: string, { method }: RequestInit) => {
      strictEqual(method, 'POST');
      if (path === '/sign-in') return Response.json({ token: 'token 0', identity_id: 'ada' });
      strictEqual(path, '/renew');
      strictEqual(++renewing, 1, 'a cookie is used once');
      await Promise.resolve();
      renewing--;
      cookie++;
      return cookie < 3 ? Response.json({ token: `token ${cookie}` }) : new Response(null, { status: 401 });
    };
    const { signIn } = run('docs/tokens.md', 'export async function signIn', { navigator, fetch }) as SignIn;
    const session = await signIn({ name: 'Ada' });
    strictEqual(session.token, 'token 0');
    deepStrictEqual(await Promise.all([session.renew(), session.renew()]), ['token 1', 'token 2']);
    strictEqual(session.token, 'token 2');
    strictEqual(await session.renew(), null);
    deepStrictEqual(held, ['renew', 'renew', 'renew']);
    const refused = run('docs/tokens.md', 'export async function signIn', {
      navigator,
      fetch: () => Promise.resolve(new Response(null, { status: 401 })),
    }) as SignIn;
    await rejects(refused.signIn({}), /wrong credentials/);
  });

  it('renew in a lock after a 401: docs/browser.md', async () => {
    const { emulator, world, session, renewals, url } = await emulated();
    const { navigator, held } = fakeLocks();
    const { client } = run(
      'docs/browser.md',
      "locks.request('renew'",
      { navigator, session },
      { declares: ['client'], replaced: [[API, url]] },
    ) as { client: Client };
    emulator.expireToken(session.token);
    await firstValueFrom(client.group.members(world.groupId));
    client.close();
    deepStrictEqual([renewals(), held], [1, ['renew']]);
  });

  it('go on after a reload from what was saved: docs/browser.md', async () => {
    const { emulator, world, session, url } = await emulated();
    const saved = new Map<string, string>();
    const sessionStorage = {
      getItem: (key: string) => saved.get(key) ?? null,
      setItem: (key: string, value: string) => saved.set(key, value),
    };
    const identity_id = world.identityId;
    /** What a page gets until an event has come. `isOpen` is called once it polls. */
    const open = async (isOpen: () => void) => {
      const client = lobbyRx.createClient({ url: url.slice(1, -1), token: session.token });
      const given = { client, identity_id, sessionStorage };
      const { feed } = run('docs/browser.md', 'saved = sessionStorage', given, {
        declares: ['feed'],
      }) as { feed: EventFeed };
      const seen: string[] = [];
      const following = feed.unknown$.subscribe(({ name }) => {
        seen.push(name);
      });
      await waitUntil(() => saved.size === 1);
      isOpen();
      const before = saved.get(`events of ${identity_id}`);
      await waitUntil(() => seen.length > 0 && saved.get(`events of ${identity_id}`) !== before);
      following.unsubscribe();
      client.close();
      return seen;
    };
    deepStrictEqual(await open(() => emulator.publish(identity_id, { first: {} })), ['first']);
    emulator.publish(identity_id, { while_away: {} });
    deepStrictEqual(await open(() => undefined), ['while_away']);
  });

  it('make a client for components, and sign out: docs/state.md', async () => {
    const { session, url } = await emulated();
    const { client, feed, signOut } = run(
      'docs/state.md',
      'renders: typeof window',
      { session, window: {} },
      {
        replaced: [[API, url]],
      },
    ) as {
      client: Client;
      feed: ReturnType<typeof views.feedState>;
      signOut: () => void;
    };
    const states: string[] = [];
    feed.subscribe(({ status }) => states.push(status.state));
    await waitUntil(() => states.includes('live'));
    signOut();
    strictEqual(states.at(-1), 'closed');
    await rejects(firstValueFrom(client.group.members('a group')));
  });

  it('serve metrics of a gate: docs/metrics.md', async () => {
    const { world, url } = await emulated();
    const server = createServer().listen(0, '127.0.0.1');
    servers.push(server);
    const { exporter, gate$ } = run(
      'docs/metrics.md',
      'new PrometheusExporter',
      { server, lobbyToken: world.lobbyToken },
      {
        declares: ['exporter', 'gate$'],
        replaced: [
          [API, url],
          ["{ host: '127.0.0.1' }", "{ host: '127.0.0.1', port: 0 }"],
        ],
      },
    ) as {
      exporter: { _server: Server; shutdown: () => Promise<void> };
      gate$: object;
    };
    await waitUntil(() => exporter._server.listening);
    const { port } = exporter._server.address() as AddressInfo;
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    match(text, /lobby_rx_gate|lobby.rx.gate|target_info/);
    ok(gate$);
    await exporter.shutdown();
  });

  it('apply a batch and save its checkpoint in one transaction: docs/losing-nothing.md', async () => {
    const log: string[] = [];
    /** What has been logged since it was asked last. */
    const logged = () => log.splice(0);
    const checkpoint = { index: '1', at: 0 };
    const events = ['a', 'b'];
    let isOurs = true;
    const tx = {
      renewLease: () => Promise.resolve(isOurs),
      saveCheckpoint: (saved: unknown) => log.push(JSON.stringify(saved)),
    };
    const leased = {
      db: { transaction: (work: (of: typeof tx) => unknown) => work(tx) },
      apply: (_: unknown, event: string) => log.push(event),
      worker: 'ada',
    };
    const page = 'docs/losing-nothing.md';
    const { ack } = run(page, 'tx.renewLease', leased, {
      replaced: [['ack: async', 'exports.ack = async']],
    }) as { ack: Ack };
    strictEqual(await ack({ events }, checkpoint), undefined);
    deepStrictEqual(logged(), ['a', 'b', JSON.stringify(checkpoint)]);
    isOurs = false;
    const decision = await ack({ events }, checkpoint);
    deepStrictEqual([decision?.watch, decision?.error.message], ['end', 'another worker has taken over']);
    deepStrictEqual(logged(), []);

    const better = {
      db: { transaction: (work: unknown) => work },
      applyTo: (_: unknown, event: string) => log.push(event),
      saveCheckpoint: { run: (text: string) => log.push(text) },
    };
    void (run(page, 'saveCheckpoint.run', better, { declares: ['ack'] }) as { ack: Ack }).ack(
      { events },
      checkpoint,
    );
    deepStrictEqual(logged(), ['a', 'b', JSON.stringify(checkpoint)]);
  });

  it('send to the paths of the official client: docs/migration.md', async () => {
    const group = 'b6e1f1f5-8b1f-4b0e-9a33-0d1a3a9b3c11';
    const { asked, url } = await answering({
      [`GET /group/groups/${group}/members`]: { members: [], watch: { index: '1' } },
      'POST /matchmaker/players/connected': {},
      'POST /matchmaker/players/disconnected': {},
    });
    const { client } = run(
      'docs/migration.md',
      'getMembers: {',
      { session: { token: 'token' } },
      {
        replaced: [["'https://api.rivet.gg'", url]],
      },
    ) as { client: Client };
    client.group.members(group).pipe(take(1)).subscribe();
    await waitUntil(() => asked.length === 1);
    await firstValueFrom(client.matchmaker.players.connected({ player_token: 'player' }), {
      defaultValue: 0,
    });
    await firstValueFrom(client.matchmaker.players.disconnected({ player_token: 'player' }), {
      defaultValue: 0,
    });
    client.close();
    deepStrictEqual(asked, [
      `GET /group/groups/${group}/members`,
      'POST /matchmaker/players/connected',
      'POST /matchmaker/players/disconnected',
    ]);
  });

  it('answer the probes of Kubernetes: docs/fleet-operations.md', async () => {
    let listening: Server | undefined;
    const { observe } = run(
      'docs/fleet-operations.md',
      "url === '/ready'",
      {
        listenAt: (server: Server) => {
          listening = server.listen(0, '127.0.0.1');
        },
      },
      {
        replaced: [
          ['createServer((', 'listenAt(createServer(('],
          ['}).listen(8080)', '}))'],
        ],
      },
    ) as { observe: (event: { kind: string }) => void };
    servers.push(listening!);
    await waitUntil(() => listening!.listening);
    const { port } = listening!.address() as AddressInfo;
    const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
    deepStrictEqual([await statusOf('/ready'), await statusOf('/live')], [503, 200]);
    observe({ kind: 'ready' });
    strictEqual(await statusOf('/ready'), 200);
    observe({ kind: 'drained' });
    strictEqual(await statusOf('/ready'), 503);
  });

  it('install packages that this project has: docs/fleet.md, docs/metrics.md', () => {
    const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      devDependencies: object;
    };
    for (const page of ['docs/fleet.md', 'docs/metrics.md']) {
      const words = recipe(page, 'npm install').replaceAll('\\\n', '').trim().split(/\s+/);
      deepStrictEqual(
        words.slice(2).filter(name => !Object.hasOwn(devDependencies, name)),
        [],
      );
      ok(words.length > 4);
    }
  });

  it('find a lobby by an endpoint of your own: docs/the-service.md', async () => {
    const { emulator, world, session, url: service } = await emulated();
    const joining = lobbyRx.createClient({ url: service.slice(1, -1), token: session.token });
    const join = firstValueFrom(joining.events.feed.lobbyJoin$);
    await waitUntil(() => emulator.requests.length > 0);
    emulator.sendLobbyJoin(world.identityId, world.lobbyId);
    const { lobby, ports, player } = await join;
    joining.close();

    const { asked, url } = await answering({ 'POST /v1/lobbies/find': { lobby, ports, player } });
    const client = lobbyRx.createClient({ url: url.slice(1, -1), token: 'token' });
    const said: unknown[] = [];
    const console = {
      log: (...values: unknown[]) => said.push(...values),
      error: (error: unknown) => said.push(error),
    };
    run('docs/the-service.md', 'const findLobby', { client, console });
    await waitUntil(() => said.length > 0);
    client.close();
    deepStrictEqual(asked, ['POST /v1/lobbies/find']);
    deepStrictEqual(said, [lobbyRx.lobbyAddress({ ports }).url, player.token.length]);
  });
});
