import { deepStrictEqual, ok } from 'node:assert';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { filesUnder } from '../files-under.js';

const ROOT = join(import.meta.dirname, '../..');
const MOST_WORDS = 900;
const MOST_LINES = 250;

const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'].map(name => join(ROOT, name)),
  ...filesUnder(join(ROOT, 'docs'), '.md'),
].map(file => ({ file, text: readFileSync(file, 'utf8') }));

/** The words of the prose: tables count, code blocks and link targets do not. */
function wordsOf(markdown: string): readonly string[] {
  const prose = markdown.replace(/^ *```[^]*?^ *```$/gm, '').replace(/\]\([^)]*\)/g, ']');
  return prose.split(/\s+/).filter(word => /[\p{L}\p{N}]/u.test(word));
}

describe('README', () => {
  const { text } = pages[0]!;

  it(`has at most ${MOST_WORDS} words`, () => {
    const { length } = wordsOf(text);
    ok(length <= MOST_WORDS, `${length} words`);
  });

  it(`has at most ${MOST_LINES} lines`, () => {
    const { length } = text.split('\n');
    ok(length <= MOST_LINES, `${length} lines`);
  });
});

describe('The documentation', () => {
  it('names only scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    const missing = pages.flatMap(({ file, text }) =>
      [...text.matchAll(/npm run (?:--silent )?([\w:]+)/g)]
        .filter(([, name]) => !Object.hasOwn(scripts, name!))
        .map(([command]) => `${relative(ROOT, file)}: ${command}`),
    );
    deepStrictEqual(missing, []);
  });

  it('links only to files that exist', () => {
    const broken = pages.flatMap(({ file, text }) =>
      [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)]
        .filter(([, path]) => !existsSync(join(dirname(file), path!)))
        .map(([, path]) => `${relative(ROOT, file)}: ${path}`),
    );
    deepStrictEqual(broken, []);
  });
});
