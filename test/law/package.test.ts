import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');

describe('the packed package, installed in a clean folder', function () {
  this.timeout(120_000);
  let folder: string;
  let files: readonly string[];
  const node = (...args: string[]) =>
    run(process.execPath, args, { cwd: folder }).then(({ stdout }) => stdout.trim());

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lobby-rx-'));
    const packed = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: ROOT });
    const [{ filename, files: list }] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf('['))) as [
      { filename: string; files: { path: string }[] },
    ];
    files = list.map(({ path }) => path);
    await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
    const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
    await run('npm', ['install', ...quietly, `./${filename}`, 'rxjs@7.8.2'], { cwd: folder });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('holds what is needed and nothing else', () => {
    const tops = [...new Set(files.map(path => path.split('/')[0]!))].sort();
    deepStrictEqual(tops, ['LICENSE', 'README.md', 'dist', 'package.json', 'src']);
    deepStrictEqual(
      files.filter(path => /test|tsconfig|tsbuildinfo/.test(path)),
      [],
    );
  });

  it('loads by import, every entry of it', async () => {
    const code = `
      import { createClient } from 'lobby-rx';
      import { createEmulator } from 'lobby-rx/emulator';
      const emulator = createEmulator();
      const { identity_id, token } = emulator.addIdentity();
      const client = createClient({ ...emulator.urls, transport: emulator.transport, token });
      client.events.watch().subscribe(({ watch }) => console.log(typeof watch.index));`;
    strictEqual(await node('--input-type=module', '-e', code), 'string');
  });

  it('loads by require, and it is the same copy', async () => {
    const code = `
      const required = require('lobby-rx');
      import('lobby-rx').then(imported => console.log(required.StatusError === imported.StatusError));`;
    // Node 20 says once that require() of a module is new to it.
    strictEqual(await node('--no-warnings', '--input-type=commonjs', '-e', code), 'true');
  });

  it('has its command', async () => {
    match(
      await node('node_modules/lobby-rx/dist/cli/main.js', '--help'),
      /^lobby-rx: .*\n\n {2}lobby-rx members GROUP/,
    );
  });

  it('type-checks for its users, under both resolutions, without DOM and without Node', async () => {
    const user = join(folder, 'user.ts');
    await writeFile(
      user,
      `import { createClient, type GroupMember } from 'lobby-rx';
       // All that rxjs's own types ask of a platform.
       declare global { function setTimeout(handler: () => void): number }
       const client = createClient({ groupUrl: '', matchmakerUrl: '', apiUrl: '', token: '' });
       client.group.members('g').subscribe((member: GroupMember) => member.identity.display_name.length);
       // @ts-expect-error: there is no such kind
       client.events.feed.on('identity_updated');`,
    );
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    for (const kind of [
      ['nodenext', 'nodenext'],
      ['esnext', 'bundler'],
    ] as const) {
      const options = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022'];
      const { stdout } = await run(
        process.execPath,
        [tsc, ...options, '--module', kind[0], '--moduleResolution', kind[1], user],
        { cwd: folder },
      ).catch((error: unknown) => error as { stdout: string });
      strictEqual(stdout, '');
    }
  });

  it('bundles for a browser without node: modules, without cross-fetch, and with one fp-ts', async () => {
    const entry = join(folder, 'browser.js');
    await writeFile(
      entry,
      `import { createClient } from 'lobby-rx'; globalThis.createClient = createClient;`,
    );
    const { metafile, outputFiles } = await build({
      ...{ entryPoints: [entry], bundle: true, minify: true, write: false, metafile: true },
      ...{ platform: 'browser', format: 'esm', logLevel: 'silent' },
    });
    const inputs = Object.keys(metafile.inputs);
    deepStrictEqual(
      inputs.filter(path => /node:|cross-fetch|node-fetch|\.node\.js|fp-ts\/lib/.test(path)),
      [],
    );
    ok(inputs.some(path => path.includes('transport/platform-fetch.js')));
    // A bound against a mistake that lets everything in, not a goal.
    const size = gzipSync(outputFiles[0]!.contents).length;
    ok(size < 40_000, `${size} bytes`);
  });

  it('names every entry in a file that is there', async () => {
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
