import { deepStrictEqual } from 'node:assert';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

describe('README', () => {
  it('names scripts that there are', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    const named = [...README.matchAll(/npm run ([\w:]+)/g)].map(match => match[1]!);
    deepStrictEqual(
      named.filter(name => !(name in scripts)),
      [],
    );
  });

  it('links to files that there are', () => {
    const links = [...README.matchAll(/\]\((?!https?:|#)([^)]+)\)/g)].map(match => match[1]!.split('#')[0]!);
    deepStrictEqual(
      links.filter(path => !existsSync(join(ROOT, path))),
      [],
    );
  });
});
