import { deepStrictEqual, ok } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { savedFigures, type SavedFigure } from '../../bench/figures.js';

const ROOT = join(import.meta.dirname, '../..');
const IMPORT = 'The time of an import in Node, each in a fresh process';
const BROWSER = 'In a browser: minified and compressed, without rxjs';
const WATCHES = '3,000 open watches, each; × is beside the loops by hand';
const LOOPS = 'cross-fetch loops, by hand';
const BATCHES = 'client.events.batches(), one client';
const CLIENTS = 'a feed and a client each, one transport';

/** What a page says of a figure: a pattern with one number in it. */
type Said = readonly [page: string, says: RegExp, heading: string, name: string, of?: 'value' | 'ratio'];

/**
 * The figures on pages. `npm run bench -- --save` writes what it has printed to
 * `bench/figures.json`: run it, then correct the page.
 */
const SAID: readonly Said[] = [
  ['README.md', /`createClient` adds (\d+) kB to a page/, BROWSER, 'createClient'],
  ['README.md', /The official client adds (\d+) kB/, BROWSER, 'the official client'],
  ['docs/home.md', /adds (\d+) kB to a page/, BROWSER, 'createClient'],
  ['docs/home.md', /a loop around .* (\d+) kB of script/, BROWSER, 'createClient'],
  ['docs/home.md', / (\d+) KB of heap for a watch/, WATCHES, `heap, ${BATCHES}`],
  ['docs/home.md', /for a watch instead of (\d+) KB/, WATCHES, `heap, ${LOOPS}`],
  ['docs/home.md', /official client.* (\d+) kB of script/, BROWSER, 'createClient'],
  ['docs/home.md', /of script instead of (\d+) kB/, BROWSER, 'the official client'],
  ['docs/measured.md', /\| heap of each +\| ([\d.]+) KB/, WATCHES, `heap, ${LOOPS}`],
  ['docs/measured.md', /\| heap of each +\|.*?\| ([\d.]+) KB/, WATCHES, `heap, ${BATCHES}`],
  ['docs/measured.md', /\| heap of each .*?KB, ([\d.]+) ×/, WATCHES, `heap, ${BATCHES}`, 'ratio'],
  ['docs/measured.md', /\| heap of each .*? × +\| ([\d.]+) KB/, WATCHES, `heap, ${CLIENTS}`],
  [
    'docs/measured.md',
    /\| resident memory of each .*? × +\| ([\d.]+) KB/,
    WATCHES,
    `resident memory, ${CLIENTS}`,
  ],
  ['docs/measured.md', /\| `backoff` +\| ([\d.]+) /, BROWSER, 'backoff'],
  ['docs/measured.md', /\| `pages` +\| ([\d.]+) /, BROWSER, 'pages'],
  ['docs/measured.md', /\| codecs alone, .*\| ([\d.]+) /, BROWSER, 'codecs alone: GroupMemberList'],
  ['docs/measured.md', /\| `watch` or `watchSignals` +\| ([\d.]+) /, BROWSER, 'watch'],
  ['docs/measured.md', /\| `watchSignals` and `eventFeed` +\| ([\d.]+) /, BROWSER, 'watchSignals, eventFeed'],
  ['docs/measured.md', /\| `createClient` +\| ([\d.]+) /, BROWSER, 'createClient'],
  [
    'docs/measured.md',
    /\| `createClient`, `rosterState` and `feedState` +\| ([\d.]+) /,
    BROWSER,
    'createClient, rosterState, feedState',
  ],
  ['docs/measured.md', /\| everything +\| ([\d.]+) /, BROWSER, 'everything'],
  [
    'docs/measured.md',
    /\| a `while` loop with zod 4 .*\| ([\d.]+) /,
    BROWSER,
    'zod 4 and a loop by hand, two fields of an event',
  ],
  ['docs/measured.md', /\| the official client +\| (3[\d.]+) /, BROWSER, 'the official client'],
  [
    'docs/measured.md',
    /\| ([\d.]+) × the time of `import 'rxjs'`/,
    IMPORT,
    'lobby-rx, after rxjs; × is beside rxjs',
    'ratio',
  ],
  ['bench/README.md', /\| `watch` +\| ([\d.]+) kB/, BROWSER, 'watch'],
  ['bench/README.md', /\| `createClient` +\| ([\d.]+) kB/, BROWSER, 'createClient'],
];

describe('The figures on the pages', () => {
  const saved = savedFigures();

  it('are those that the bench has printed last, rounded as the page rounds them', () => {
    const old = SAID.flatMap(([page, says, heading, name, of = 'value']) => {
      const figure: SavedFigure | undefined = saved[heading]?.[name];
      const [, said] = says.exec(readFileSync(join(ROOT, page), 'utf8')) ?? [];
      if (said === undefined) return [`${page} does not say ${String(says)}`];
      const digits = said.split('.')[1]?.length ?? 0;
      const printed = figure?.[of]?.toFixed(digits);
      return said === printed ? [] : [`${page} says ${said} of ${name}; the bench printed ${printed}`];
    });
    deepStrictEqual(old, []);
    ok(SAID.length > 10);
  });
});
