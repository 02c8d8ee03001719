import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Report } from './report.js';

/** Programs of the benchmarks run four folders below the project's. */
const ROOT = join(import.meta.dirname, '../../../..');
const BOARD = join(ROOT, 'examples/angular');

/**
 * What an Angular application pays for lobby-rx: the lobby board, built for production, as it is
 * and with loops by hand.
 */
export function benchAngularApp(report: Report): void {
  if (!existsSync(join(BOARD, 'node_modules/lobby-rx')))
    throw new Error('The board is not installed. Run: npm run board');
  const folder = mkdtempSync(join(tmpdir(), 'lobby-rx-board-'));
  try {
    for (const name of ['angular.json', 'tsconfig.json', 'package.json', 'public', 'src'])
      cpSync(join(BOARD, name), join(folder, name), { recursive: true });
    symlinkSync(join(BOARD, 'node_modules'), join(folder, 'node_modules'));
    const board = sizesOf(folder);
    leaveOutHttpClient(folder);
    const withoutHttpClient = sizesOf(folder);
    replaceByLoops(folder);
    const loops = sizesOf(folder);
    report.heading('An Angular application, built for production: its main.js; × is beside loops by hand');
    for (const [name, sizes] of Object.entries({
      'as it is': board,
      'without withHttpClientCalls': withoutHttpClient,
    })) {
      for (const of of ['raw', 'compressed'] as const) {
        const [value, beside] = [sizes[of], loops[of]];
        report.add({
          name: `the lobby board, ${name}, ${of}`,
          value,
          unit: 'kB',
          ratio: value / beside,
          bound: 1.75,
        });
      }
    }
    report.row('the same with loops by hand, raw', loops.raw, 'kB');
    report.row('the same with loops by hand, compressed', loops.compressed, 'kB');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds a board, and returns what its main.js takes, in kB. */
function sizesOf(folder: string): { readonly raw: number; readonly compressed: number } {
  const ng = join(folder, 'node_modules/@angular/cli/bin/ng.js');
  const args = [ng, 'build', '--output-hashing', 'none'];
  execFileSync(process.execPath, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const main = readFileSync(join(folder, 'dist/zoneless/browser/main.js'));
  return { raw: main.length / 1_000, compressed: gzipSync(main, { level: 9 }).length / 1_000 };
}

function edit(path: string, ...changes: readonly (readonly [what: RegExp, by: string])[]): void {
  const text = changes.reduce((before, [what, by]) => before.replace(what, by), readFileSync(path, 'utf8'));
  writeFileSync(path, text);
}

function leaveOutHttpClient(folder: string): void {
  edit(
    join(folder, 'src/app/app.config.ts'),
    [/import \{ provideHttpClient.*\n/, ''],
    [/ *provideHttpClient\(.*\n/, ''],
    [/ *withHttpClientCalls\(\),\n/, ''],
    [/withHttpClientCalls, /, ''],
  );
}

function replaceByLoops(folder: string): void {
  const app = join(folder, 'src/app');
  copyFileSync(join(ROOT, 'bench/angular/hand-written.ts'), join(app, 'hand-written.ts'));
  edit(
    join(app, 'app.config.ts'),
    [/import \{ provideLobbyClient.*\n/, ''],
    [/ *provideLobbyClient\([^]*?\n {4}\),\n/, ''],
  );
  for (const name of ['event-log', 'lobby-room', 'members', 'person', 'status-line', 'toasts'])
    edit(join(app, `${name}.ts`), [/'lobby-rx(\/\w+)?'/g, "'./hand-written'"]);
  // Its values are of any type.
  edit(
    join(folder, 'tsconfig.json'),
    [/"strict": true/, '"strict": false'],
    [/"strictTemplates": true/, '"strictTemplates": false'],
  );
}
