import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { between, lowest, newest } from '../node-versions.js';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const majorOf = (version: string) => version.split('.', 1)[0]!;

describe('test/node-versions.json', () => {
  it('begins with the lowest version that package.json promises', () => {
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    strictEqual(/^\^([\d.]+) /.exec(engines.node)?.[1], lowest);
    const majors = [lowest, ...between, newest].map(version => Number(majorOf(version)));
    deepStrictEqual(
      majors,
      [...majors].sort((a, b) => a - b),
    );
  });

  it('has the version that the checks run on', () => {
    const [, version] = /node-version: '?([\d.]+)/.exec(read('.github/workflows/checks.yml')) ?? [];
    strictEqual(version, lowest);
  });

  it('has the versions that a decision names', () => {
    const [first, second, third] = [lowest, ...between].map(majorOf);
    const page = read('docs/decisions/agent-under-cross-fetch.md');
    ok(page.includes(`on Node ${first}, ${second} and ${third}`));
  });
});
