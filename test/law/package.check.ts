import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { packed } from './packed.js';

const run = promisify(execFile);
/** Options of `npm install`. */
const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
const ROOT = join(import.meta.dirname, '../..');
const RESOLUTIONS = [
  ['nodenext', 'nodenext'],
  ['esnext', 'bundler'],
] as const;

describe('the packed package, installed in a clean folder', function () {
  this.timeout(120_000);
  let folder: string;
  let files: readonly string[];
  const node = (...args: string[]) =>
    run(process.execPath, args, { cwd: folder }).then(({ stdout }) => stdout.trim());
  /** What tsc reports about a user's file; empty if it is correct. */
  const faultsOf = async (
    file: string,
    [module, resolution]: readonly [string, string],
    ...more: string[]
  ) => {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022', '--module', module];
    const all = [tsc, ...options, '--moduleResolution', resolution, ...more, file];
    const outcome = await run(process.execPath, all, { cwd: folder }).catch((error: unknown) => error);
    return (outcome as { stdout: string }).stdout;
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lobby-rx-'));
    const { tarball, files: list } = await packed();
    files = list;
    await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
    await run('npm', ['install', ...quietly, tarball, 'rxjs@7.8.2'], { cwd: folder });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('loads by import, the emulator too', async () => {
    const code = `
      import { createClient } from 'lobby-rx';
      import { createEmulator } from 'lobby-rx/emulator';
      const emulator = createEmulator();
      const { identity_id, token } = emulator.addIdentity();
      const client = createClient({ ...emulator.urls, transport: emulator.transport, token });
      client.events.watch().subscribe(({ watch }) => console.log(typeof watch.index));`;
    strictEqual(await node('--input-type=module', '-e', code), 'string');
  });

  it('loads by require, as the same copy', async () => {
    const code = `
      const required = require('lobby-rx');
      import('lobby-rx').then(imported => console.log(required.StatusError === imported.StatusError));`;
    // Node 20 warns once that require() of an ES module is experimental.
    strictEqual(await node('--no-warnings', '--input-type=commonjs', '-e', code), 'true');
  });

  it('needs ws for the gate of a lobby, and for nothing else', async () => {
    const load = `
      import { lobbyGate, players } from 'lobby-rx/lobby-server';
      console.log(typeof lobbyGate, typeof players);`;
    await rejects(node('--input-type=module', '-e', load), /Cannot find package 'ws'/);
    await run('npm', ['install', ...quietly, 'ws@8.23.0'], { cwd: folder });
    strictEqual(await node('--input-type=module', '-e', load), 'function function');
  });

  it('needs the packages of NATS for a fleet, and for nothing else', async () => {
    const load = `
      import { fleetBatches, fleetFeed, runFleet } from 'lobby-rx/fleet';
      console.log(typeof fleetBatches, typeof fleetFeed, typeof runFleet);`;
    await rejects(node('--input-type=module', '-e', load), /Cannot find package '@nats-io\//);
    const packages = ['transport-node', 'jetstream', 'kv'].map(name => `@nats-io/${name}@3.4.0`);
    await run('npm', ['install', ...quietly, ...packages], { cwd: folder });
    strictEqual(await node('--input-type=module', '-e', load), 'function function function');
    const user = join(folder, 'fleet.ts');
    await writeFile(
      user,
      `import { connect } from '@nats-io/transport-node';
       import { of } from 'rxjs';
       import { runFleet, fleetFeed, type FleetEvent } from 'lobby-rx/fleet';
       const nats = connect({ servers: 'localhost' });
       const client = (id: string) => ({ url: 'https://lobby.example', token: () => id });
       runFleet({ nats, identities$: of(['a']), client }).subscribe((event: FleetEvent) => event.kind);
       fleetFeed({ nats, identity_id: 'a' }).lobbyJoin$.subscribe(join => join.player.token);
       // @ts-expect-error: how is the service reached?
       runFleet({ nats, identitiesOf: () => of(['a']) });`,
    );
    const types = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node', '--skipLibCheck'];
    deepStrictEqual(await Promise.all(RESOLUTIONS.map(kind => faultsOf(user, kind, ...types))), ['', '']);
  });

  it('has a working command', async () => {
    match(
      await node('node_modules/lobby-rx/dist/node/lobby-rx.js', '--help'),
      /^lobby-rx: .*\n\n {2}lobby-rx members GROUP/,
    );
  });

  it('type-checks for its users, under both resolutions, without DOM and without Node', async () => {
    const user = join(folder, 'user.ts');
    await writeFile(
      user,
      `import { createClient, type GroupMember } from 'lobby-rx';
       // All that the types of RxJS need from a platform.
       declare global { function setTimeout(handler: () => void): number }
       const client = createClient({ groupUrl: '', matchmakerUrl: '', apiUrl: '', token: '' });
       client.group.members('g').subscribe((member: GroupMember) => member.identity.display_name.length);
       // @ts-expect-error: there is no such kind
       client.events.feed.on('identity_updated');`,
    );
    deepStrictEqual(await Promise.all(RESOLUTIONS.map(kind => faultsOf(user, kind))), ['', '']);
  });

  it("type-checks for a lobby's server, without the types of ws", async () => {
    const user = join(folder, 'server.ts');
    await writeFile(
      user,
      `import { createServer } from 'node:https';
       import { createClient } from 'lobby-rx';
       import { lobbyGate, players, type PlayerSocket } from 'lobby-rx/lobby-server';
       const client = createClient({ groupUrl: '', matchmakerUrl: '', apiUrl: '', token: '' });
       lobbyGate({ server: createServer(), client }).subscribe((socket: PlayerSocket) => socket.send('hi'));
       lobbyGate({ server: createServer(), client, freeSlot: token => client.matchmaker.players.disconnected({ player_token: token }) }).pipe(players());
       // @ts-expect-error: a gate needs a server
       lobbyGate({ client });`,
    );
    const node = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node'];
    strictEqual(await faultsOf(user, RESOLUTIONS[0], ...node), '');
  });

  it('bundles for a browser without node: modules, without cross-fetch, and with one fp-ts', async () => {
    const entry = join(folder, 'browser.js');
    await writeFile(
      entry,
      `import { createClient } from 'lobby-rx'; globalThis.createClient = createClient;`,
    );
    const { metafile, outputFiles } = await build({
      entryPoints: [entry],
      bundle: true,
      minify: true,
      write: false,
      metafile: true,
      platform: 'browser',
      format: 'esm',
      logLevel: 'silent',
    });
    const inputs = Object.keys(metafile.inputs);
    deepStrictEqual(
      inputs.filter(path => /node:|cross-fetch|node-fetch|transport\/node|fp-ts\/lib/.test(path)),
      [],
    );
    ok(inputs.some(path => path.includes('transport/platform-fetch.js')));
    // A limit against bundling everything by mistake, not a goal.
    const size = gzipSync(outputFiles[0]!.contents).length;
    ok(size < 48_000, `${size} bytes`);
  });

  it('lets a page use the emulator, without anything of Node', async () => {
    const entry = join(folder, 'emulated.js');
    await writeFile(
      entry,
      `import { createEmulator, listen } from 'lobby-rx/emulator';
       const { addIdentity } = createEmulator();
       export const token = addIdentity().token;
       export const failure = listen({ handle: () => {} }).catch(error => error.message);`,
    );
    const { outputFiles } = await build({
      entryPoints: [entry],
      bundle: true,
      write: false,
      platform: 'browser',
      format: 'iife',
      globalName: 'page',
      logLevel: 'silent',
    });
    const { text } = outputFiles[0]!;
    const globals = { URL, setTimeout, clearTimeout, setInterval, clearInterval, structuredClone };
    const page = runInNewContext(`${text}; page`, globals) as { token: string; failure: Promise<string> };
    ok(page.token.length > 0);
    match(await page.failure, /in a page, use emulator\.transport/);
  });

  it('has a file for every entry', async () => {
    const { exports, bin } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
      exports: Record<string, string | Record<string, string>>;
      bin: Record<string, string>;
    };
    const targets = [...Object.values(exports), bin].flatMap(entry =>
      typeof entry === 'string' ? [entry] : Object.values(entry),
    );
    deepStrictEqual(
      targets.filter(path => !files.includes(path.replace('./', ''))),
      [],
    );
  });
});
