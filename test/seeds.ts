// npm run seeds -- 50: the property tests with so many random seeds, or, with files after the
// number, only those. FULL=1 has its usual meaning. Prints what came of each seed and how to repeat
// a failure, with which it ends as 1.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { filesUnder } from './files-under.js';

/** What of the report of mocha is of interest. */
interface Report {
  readonly stats: { readonly tests: number };
  readonly failures: readonly {
    readonly file: string;
    readonly fullTitle: string;
    readonly err: { readonly message?: string };
  }[];
}

const ROOT = join(import.meta.dirname, '..');
const MOCHA = join(ROOT, 'node_modules/mocha/bin/mocha.js');
const MOST = 1_000;
/** How long one seed may take, in ms. With `FULL=1` it takes minutes. */
const LIMIT = 1_200_000;
/** What a test imports whose inputs depend on the seed. */
const SEEDED = /from '(?:fast-check|[./]+(?:any-text|random-scenario|survey)\.js)'/;

const [count = '20', ...given] = process.argv.slice(2);
if (!/^\d+$/.test(count) || Number(count) < 1 || Number(count) > MOST)
  throw new Error(`how many seeds? a number from 1 to ${MOST}; got ${count}`);
const seeded = filesUnder(join(ROOT, 'test'), '.test.ts').filter(path =>
  SEEDED.test(readFileSync(path, 'utf8')),
);
const files = given.length > 0 ? given : seeded.map(path => relative(ROOT, path));
const full = process.env.FULL ? 'FULL=1 ' : '';
const folder = mkdtempSync(join(tmpdir(), 'seeds-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

let failed = 0;
for (let i = 0; i < Number(count); i++) {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const begin = performance.now();
  const report = run(seed);
  const took = `${Math.round((performance.now() - begin) / 1_000)} s`;
  if (typeof report !== 'string' && report.failures.length === 0) {
    console.log(`SEED=${seed}: ${report.stats.tests} passed (${took})`);
    continue;
  }
  failed++;
  console.log(`SEED=${seed}: failed (${took})`);
  if (typeof report === 'string') console.log(report);
  const failures = typeof report === 'string' ? [] : report.failures;
  for (const { fullTitle, err } of failures) console.log(`  ${fullTitle}: ${err.message?.split('\n')[0]}`);
  const broken = new Set(failures.map(({ file }) => relative(ROOT, file)));
  console.log(
    `  To repeat: ${full}SEED=${seed} npx mocha ${[...(broken.size > 0 ? broken : files)].join(' ')}`,
  );
}
console.log(`${count} seeds, ${failed} failed`);
if (failed > 0) process.exitCode = 1;

/** What mocha reports, or says if it cannot. */
function run(seed: number): Report | string {
  const output = join(folder, `${seed}.json`);
  const options = ['--reporter', 'json', '--reporter-option', `output=${output}`];
  const { error, stdout, stderr } = spawnSync(process.execPath, [MOCHA, ...options, ...files], {
    cwd: ROOT,
    env: { ...process.env, SEED: String(seed) },
    encoding: 'utf8',
    timeout: LIMIT,
    maxBuffer: 2 ** 28,
  });
  try {
    return JSON.parse(readFileSync(output, 'utf8')) as Report;
  } catch {
    return String(error ?? `${stdout}${stderr}`).slice(-2_000);
  }
}
