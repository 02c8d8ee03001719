import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundlers, furtherBundlers } from './bundlers.js';
import { packageTools } from './package-tools.js';
import { frameworks } from './frameworks.js';
import { furtherRuntimes, nodes } from './runtimes.js';
import { furtherRendering, rendering } from './rendering.js';
import { testRunners } from './test-runners.js';
import { compilers } from './compilers.js';
import { servers } from './servers.js';
import { open, type Consumer, type Row, type Workshop } from './workshop.js';

const { values } = parseArgs({
  options: { all: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
});

const workshops: readonly Workshop[] = [
  ...[testRunners, frameworks, rendering, servers, compilers, nodes, bundlers, packageTools].flat(),
  ...(values.all ? [furtherRuntimes, furtherBundlers, furtherRendering].flat() : []),
]
  .map(workshop => ({
    ...workshop,
    consumers: workshop.consumers.filter(consumer =>
      nameOf(consumer).toLowerCase().includes(values.only.toLowerCase()),
    ),
  }))
  .filter(({ consumers }) => consumers.length > 0);

const folder = mkdtempSync(join(tmpdir(), 'lobby-rx-packed-'));
const rows: Row[] = [];
const started = performance.now();
try {
  const root = join(import.meta.dirname, '../..');
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const tarball = join(folder, readdirSync(folder)[0]!);
  const waiting = [...workshops];
  // An installation waits for the disk and the network, so one more than there are processors.
  const bench = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      await open(next, tarball, row => rows.push(row));
  };
  await Promise.all(Array.from({ length: Math.min(cpus().length + 1, 6) }, bench));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const order = workshops.flatMap(({ consumers }) => consumers.map(nameOf));
rows.sort((a, b) => order.indexOf(nameOf(a)) - order.indexOf(nameOf(b)));
const table = rows.map(({ name, version, proves, failure, seconds }) => [
  name,
  version,
  proves,
  failure === undefined ? 'ok' : 'FAILED',
  seconds.toFixed(1),
]);
table.unshift(['consumer', 'version', 'what was proven', 'outcome', 'seconds']);
const widths = table[0]!.map((_, i) => Math.max(...table.map(row => row[i]!.length)));
for (const row of table)
  console.log(
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd(),
  );

const failed = rows.filter(({ failure }) => failure !== undefined);
for (const { name, version, proves, failure } of failed)
  console.log(`\n${name} ${version}, ${proves}:\n${failure}`);
console.log(
  `\n${rows.length - failed.length} passed, ${failed.length} failed, in ${((performance.now() - started) / 1000).toFixed(0)} s`,
);
process.exitCode = failed.length > 0 || rows.length === 0 ? 1 : 0;

function nameOf({ name, version, proves }: Consumer): string {
  return `${name} ${version}, ${proves}`;
}
