// npm run release -- --dry: builds, checks and packs what would be published, and says what is left
// to a person. It publishes nothing.
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
/** In bytes. */
const LARGEST = 450_000;
/** Fields of package.json that wait for an address. */
const ADDRESSES = ['homepage', 'repository', 'bugs'];

const { values } = parseArgs({ options: { dry: { type: 'boolean', default: false } } });
if (!values.dry) {
  console.error('npm run release -- --dry: to publish is left to a person, who sees at its end how.');
  process.exit(2);
}

const run = (command: string, ...args: readonly string[]) =>
  execFileSync(command, args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly [field: string]: unknown;
};
const { version } = manifest;
const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
const left: string[] = [];

console.log('npm run check …');
run('npm', 'run', '--silent', 'check');
console.log('npm pack, which builds …');
const file = run('npm', 'pack', '--silent').trim().split('\n').at(-1)!;
const { size } = statSync(join(ROOT, file));
console.log(`${file}: ${Math.round(size / 1_000)} kB`);
if (size > LARGEST) left.push(`make the package smaller than ${LARGEST / 1_000} kB`);

if (run('git', 'status', '--porcelain').trim()) left.push('commit, or take back, what git status shows');
const missing = ADDRESSES.filter(field => manifest[field] === undefined);
if (missing.length > 0) left.push(`fill in ${missing.join(', ')} of package.json`);
if (!changelog.includes(`## [${version}] - `)) {
  left.push(
    `in CHANGELOG.md, name the section [Unreleased] [${version}] - ${new Date().toISOString().slice(0, 10)}`,
  );
}
left.push(
  'wait until .ci/run has passed on that commit',
  `git tag v${version} && git push origin v${version}`,
  `npm publish ${file} --access public`,
);
console.log(`\nLeft to you:\n${left.map((step, i) => `  ${i + 1}. ${step}`).join('\n')}`);
