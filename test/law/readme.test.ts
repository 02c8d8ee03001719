import { deepStrictEqual, ok } from 'node:assert';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pages } from './pages.js';

const ROOT = join(import.meta.dirname, '../..');
const MOST_WORDS = 600;
const MOST_LINES = 195;
/** A phone, held sideways, shows so many letters. */
const WIDEST = 72;
const MOST_WORDS_OF_GUIDE = 1_400;
/**
 * Of sentences: of half of them on each page, and of each; and of a cell of a table. Code and names
 * do not count.
 */
const MEDIAN = 15;
const LONGEST = 35;
const LONGEST_CELL = 20;
/** Code in the pages: the site shows so many columns. */
const WIDEST_CODE = 72;
/** Of a table: what is wider is a program, or a list. */
const MOST_COLUMNS = 5;
/** Each service there is a row of options. */
const WIDE_PAGE = 'docs/any-service.md';
const GUIDE = /^docs\/(?!design|tested|measured|home)[a-z-]+\.md$/;

/** The words of the prose: tables count, code blocks, comments and link targets do not. */
function wordsOf(markdown: string): readonly string[] {
  const prose = markdown.replace(/^ *```[^]*?^ *```$|<!--.*?-->/gm, '').replace(/\]\([^)]*\)/g, ']');
  return prose.split(/\s+/).filter(word => /[\p{L}\p{N}]/u.test(word));
}

/** The sentences of a page, and the cells of its tables, without code. */
function sentencesOf(markdown: string) {
  const prose = markdown
    .replace(/^---[^]*?^---$|^ *```[^]*?^ *```$|<!--[^]*?-->/gm, '\n\n')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/`[^`]*`/g, 'X');
  const blocks = prose.split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.)\s)/).map(block => block.trim());
  const [tables, texts] = [true, false].map(isTable =>
    blocks.filter(block => block.startsWith('|') === isTable),
  );
  return {
    cells: tables!.flatMap(table => table.split(/\n|(?<!\\)\|/)).map(cell => cell.replaceAll('X', '')),
    sentences: texts!
      .filter(text => !/^(?:#|!\[)/.test(text))
      .flatMap(text => text.split(/(?<=[.!?:])\s+(?=[A-Z*[“(])/))
      .filter(sentence => wordsOf(sentence).length > 0),
  };
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

  it(`has no line of more than ${WIDEST} letters, but for its picture`, () => {
    const long = text.split('\n').filter(line => line.length > WIDEST && !line.startsWith('<img'));
    deepStrictEqual(long, []);
  });
});

describe('The guides', () => {
  const guides = pages.filter(({ name }) => GUIDE.test(name));

  for (const { name, text } of guides) {
    it(`have at most ${MOST_WORDS_OF_GUIDE} words in ${name}`, () => {
      const { length } = wordsOf(text);
      ok(length <= MOST_WORDS_OF_GUIDE, `${length} words`);
    });

    it(`have sentences that can be read at once in ${name}`, () => {
      const { sentences, cells } = sentencesOf(text);
      const lengths = sentences.map(sentence => wordsOf(sentence).length).sort((a, b) => a - b);
      const median = lengths[Math.floor((lengths.length - 1) / 2)] ?? 0;
      ok(median <= MEDIAN, `half of the sentences have ${median} words or more`);
      deepStrictEqual(
        [
          ...sentences.filter(sentence => wordsOf(sentence).length > LONGEST),
          ...cells.filter(cell => wordsOf(cell).length > LONGEST_CELL),
        ],
        [],
      );
    });
  }

  it(`have no line of code with more than ${WIDEST_CODE} letters, but for data`, () => {
    const code = /^ *```(?:ts|tsx|js|sh|vue|svelte)\b[^]*?^ *```$/gm;
    const long = guides.flatMap(({ name, text }) =>
      (text.match(code) ?? [])
        .flatMap(block => block.split('\n').slice(1))
        .filter(line => line.length > WIDEST_CODE && !line.startsWith('{"'))
        .map(line => `${name}: ${line}`),
    );
    deepStrictEqual(long, []);
  });
});

describe('The documentation', () => {
  it('names only scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    const missing = pages.flatMap(({ name, text }) =>
      [...text.matchAll(/npm run (?:--silent )?([\w:]+)/g)]
        .filter(([, script]) => !Object.hasOwn(scripts, script!))
        .map(([command]) => `${name}: ${command}`),
    );
    deepStrictEqual(missing, []);
  });

  it('says in the header of each table what its first column is', () => {
    const without = pages.flatMap(({ name, text }) =>
      [...text.matchAll(/^\|\s*\|.*\n\|[\s:|-]+\|$/gm)].map(([header]) => `${name}: ${header}`),
    );
    deepStrictEqual(without, []);
  });

  it(`has no table with more than ${MOST_COLUMNS} columns`, () => {
    const wide = pages
      .filter(({ name }) => name !== WIDE_PAGE)
      .flatMap(({ name, text }) =>
        [...text.matchAll(/^\|(?:\s*:?-+:?\s*\|)+$/gm)]
          .map(([line]) => line.split('|').length - 2)
          .filter(columns => columns > MOST_COLUMNS)
          .map(columns => `${name}: ${columns} columns`),
      );
    deepStrictEqual(wide, []);
  });

  it('links only to files that exist', () => {
    const broken = pages.flatMap(({ name, text }) =>
      [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)]
        .filter(([, path]) => !existsSync(join(ROOT, dirname(name), path!)))
        .map(([, path]) => `${name}: ${path}`),
    );
    deepStrictEqual(broken, []);
  });
});
