// npm run mutate -- stream client/roster.ts stream/pace.ts:20-24 …: mutation testing. Changes these
// sources in small ways, one at a time, and prints each change that no test detects. Without names:
// everything in src/ that tests run in their own process.
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { LAYER, moduleOf } from './law/modules.js';

const ROOT = join(import.meta.dirname, '..');
/** The modules that a client uses: the tests of the client cover them, too. */
const CLIENT_MODULES = ['error', 'protocol', 'transport', 'endpoint', 'stream', 'client'];
/**
 * Tests that start processes. Mutations exist only in the process of the test runner, so these
 * tests never see them.
 */
const PROCESS_TESTS = ['test/client/exit.test.ts'];
const PROCESS_MODULES = ['tools/cli'];
/**
 * Loaded into each process of Stryker. Its mocha runner requires files of mocha without their
 * extension, which is .cjs since mocha 12. And without this, a process whose parent was killed
 * would keep running.
 */
const PRELOAD = `data:text/javascript,${encodeURIComponent(`
  import Module from 'node:module';
  Module._extensions['.cjs'] ??= Module._extensions['.js'];
  if (process.env.STRYKER_MUTATOR_WORKER) process.on('disconnect', () => process.exit(1));
`)}`;

/** Lines of a file, as Stryker names them: `stream/pace.ts:20-24`. */
const LINES = /:\d+-\d+$/;

const names = process.argv.slice(2);
const missing = names.filter(name => !existsSync(join(ROOT, 'src', name.replace(LINES, ''))));
if (missing.length > 0) throw new Error(`there is no ${missing.map(name => `src/${name}`).join(', ')}`);
const modules =
  names.length > 0
    ? names.map(moduleOf)
    : Object.keys(LAYER).filter(module => !module.includes('.') && !PROCESS_MODULES.includes(module));
const tested = new Set(
  modules
    .flatMap(module => (CLIENT_MODULES.includes(module) ? [module, 'client'] : [module]))
    .filter(module => existsSync(join(ROOT, 'test', module))),
);

// Works on a copy, so that the sources stay unchanged even if this is interrupted.
const copy = mkdtempSync(join(tmpdir(), 'lobby-rx-mutate-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
const isExcluded = (path: string) => ['node_modules', '.git', 'dist', 'coverage'].includes(basename(path));
cpSync(ROOT, copy, { recursive: true, filter: path => path === ROOT || !isExcluded(path) });
symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
process.chdir(copy);

// Property tests must be deterministic.
process.env.SEED ??= '1';
process.env.NODE_OPTIONS = `--import ${PRELOAD}`;
await import(PRELOAD);
await new Stryker({
  configFile: 'test/stryker.config.json',
  mutate: (names.length > 0 ? names : modules).map(name =>
    name.replace(LINES, '').endsWith('.ts') ? `src/${name}` : `src/${name}/**/*.ts`,
  ),
  inPlace: true,
  mochaOptions: {
    spec: [...tested].map(module => `test/${module}/**/*.test.ts`),
    ignore: PROCESS_TESTS,
  },
}).runMutationTest();
