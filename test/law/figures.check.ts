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
const PLAYERS = "The heap of a player's side, 500 players, all on sockets of ws";

/** What a page says of a figure: a pattern with one number in it. */
type Said = readonly [page: string, says: RegExp, heading: string, name: string, of?: 'value' | 'ratio'];

/**
 * The figures on pages. `npm run bench -- --save` writes what it has printed to
 * `bench/figures.json`: run it, then correct the page.
 */
const SAID: readonly Said[] = [
  ['README.md', /`createClient` adds (\d+) kB to a page/, BROWSER, 'createClient'],
  ['README.md', /The official client adds (\d+) kB/, BROWSER, 'the official client'],
  ['README.md', /open watch takes ([\d.]+) KB/, WATCHES, `heap, ${BATCHES}`],
  ['README.md', /`while` loop takes ([\d.]+) KB/, WATCHES, `heap, ${LOOPS}`],
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
  ['docs/measured.md', /\| resident memory of each +\| ([\d.]+) KB/, WATCHES, `resident memory, ${LOOPS}`],
  [
    'docs/measured.md',
    /\| resident memory of each +\|.*?\| ([\d.]+) KB/,
    WATCHES,
    `resident memory, ${BATCHES}`,
  ],
  ['docs/measured.md', /`lobbyConnection` ([\d.]+) KB/, PLAYERS, 'lobbyConnection'],
  ['docs/measured.md', /that socket alone (\d+\.\d)/, PLAYERS, 'a socket of ws'],
  ['docs/measured.md', /partysocket\s+(\d+\.\d)/, PLAYERS, 'partysocket'],
  ['docs/measured.md', /socket\.io-client (\d+\.\d)/, PLAYERS, 'socket.io-client'],
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

/**
 * The figures in kB or KB that are not compared: by a part of their line, or by the heading above
 * them.
 */
const NOT_COMPARED: readonly (readonly [page: string, where: string, why: string])[] = [
  ['README.md', 'A player at the gate takes', 'the part `gate` is not saved'],
  ['docs/measured.md', ' 13.9 KB', 'the official client is not in the saved run'],
  ['docs/measured.md', ' 19.9 KB', 'the official client is not in the saved run'],
  ['docs/measured.md', 'Parsing and checking a batch', 'the size of an input'],
  ['docs/measured.md', 'Compared with its peers', 'measured once, beside clients of fixed versions'],
  ['docs/measured.md', 'Live memory of a connected player', 'the part `gate` is not saved'],
  ['docs/measured.md', '`lobbyConnection` adds', 'a difference of two sizes'],
  ['docs/measured.md', 'The memory of strangers', 'a check has bounds for them'],
  ['docs/measured.md', 'The fleet', 'measured with servers of NATS, which the bench does not start'],
  ['docs/measured.md', 'An Angular application', 'the part `angular-app` needs an Angular CLI'],
  ['bench/README.md', 'throughput, beside a loop', 'the size of an input'],
  ['bench/README.md', 'heap of a stream with `fromHttp()`', 'measured once, with the peers'],
  ['bench/README.md', '| 4 kB ', 'a goal, and parts of a compared size'],
  ['bench/README.md', '| 14 kB ', 'a goal, and parts of a compared size'],
  ['bench/README.md', 'The gate', 'sizes of inputs'],
];

/** Each figure in kB or KB, and each cell that is a number only, with its line and its heading. */
function figuresOf(page: string) {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/([\d.,]+) [kK]B\b|(?<=\| )\d+\.\d(?= +\|)/g)].map(({ index, 0: figure }) => ({
    at: index,
    figure,
    line: text.slice(text.lastIndexOf('\n', index) + 1, text.indexOf('\n', index)),
    heading: [...text.slice(0, index).matchAll(/^## (.*)$/gm)].at(-1)?.[1] ?? '',
  }));
}

/** Where a page has the numbers that are compared. */
function comparedIn(page: string): readonly number[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return SAID.filter(([said]) => said === page).flatMap(([, says]) => {
    const found = new RegExp(says.source, `${says.flags}d`).exec(text);
    return found?.indices?.[1]?.[0] ?? [];
  });
}

describe('The figures on the pages', () => {
  const saved = savedFigures();

  it('are compared if they are sizes, or the list says why not', () => {
    const pages = [...new Set(SAID.map(([page]) => page))];
    const left = pages.flatMap(page => {
      const compared = comparedIn(page);
      const reasons = NOT_COMPARED.filter(([of]) => of === page).map(([, where]) => where);
      return figuresOf(page)
        .filter(({ at }) => !compared.includes(at))
        .filter(({ line, heading }) => !reasons.some(where => heading === where || line.includes(where)))
        .map(({ figure, line }) => `${page}: ${figure} in ${line.trim().slice(0, 90)}`);
    });
    deepStrictEqual(left, []);
  });

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
