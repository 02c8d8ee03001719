import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { join } from 'node:path';
import { ESLint } from 'eslint';
import { getFileInfo } from 'prettier';
import { pages } from './pages.js';
import { compileSnippets } from './snippet/compile-snippets.js';
import { bundleSnippets, clean, runSnippet, type Program } from './snippet/run-snippet.js';
import { allSnippets } from './snippet/snippet.js';

const ROOT = join(import.meta.dirname, '../..');
const snippets = allSnippets();

/** The files that a page asks to save in a clone: `first.ts`. */
const savedFiles = pages.flatMap(({ text }) =>
  [...text.matchAll(/\bsave\s+(?:this|the program)\s+as\s+`([^`]+)`/gi)].map(([, name]) => name!),
);

describe('The snippets of README and docs', () => {
  const compiled = compileSnippets(snippets);

  it('all compile', () => {
    ok(snippets.length >= 5);
    deepStrictEqual(compiled.errors(), []);
  });

  it('define all their names, or their page says before them what these are: `client`', () => {
    const unexplained = snippets.flatMap(({ name }, i) => {
      const [page, line] = name.split(':');
      const before = pages
        .find(one => one.name === page)!
        .text.split('\n')
        .slice(0, Number(line))
        .join('\n');
      const prose = before.replace(/^ *```[^]*?^ *```$/gm, '');
      return [...compiled.assumedNames(i)].flatMap(used =>
        prose.includes(`\`${used}\``) ? [] : `${name}: ${used}`,
      );
    });
    deepStrictEqual(unexplained, []);
  });

  it('may be saved in a clone: git, Prettier and ESLint ignore the files', async () => {
    ok(savedFiles.includes('first.ts'));
    const eslint = new ESLint({ cwd: ROOT, overrideConfigFile: 'test/eslint.config.js' });
    const seen: string[] = [];
    for (const name of savedFiles) {
      const path = join(ROOT, name);
      if (!(await eslint.isPathIgnored(path))) seen.push(`ESLint sees ${name}`);
      const { ignored } = await getFileInfo(path, { ignorePath: join(ROOT, '.gitignore') });
      if (!ignored) seen.push(`git and Prettier see ${name}`);
    }
    deepStrictEqual(seen, []);
  });

  it('all sign in so that an expired token is renewed, but for lobbies and emulators', () => {
    const signIns = snippets.filter(({ code }) =>
      /\b(?:createClient|provideLobbyClient|runFleet)\(/.test(code),
    );
    const needsNone = /\blobbyGate\(|lobby-rx\/emulator|\bemulator\./;
    const dying = signIns.filter(
      ({ code }) =>
        !/(?:\btoken: |\.as\()(?:\{\s+get: [^]*\brenew: |tokenOf\()/.test(code) && !needsNone.test(code),
    );
    deepStrictEqual(
      dying.map(({ name }) => name),
      [],
    );
    ok(signIns.length >= 15, `${signIns.length}`);
  });

  describe('run', () => {
    const runnable = snippets.filter(({ notRun }) => notRun === undefined);
    let programs: readonly Program[] = [];
    const ended = new Map<number, ReturnType<typeof runSnippet>>();
    /** Two at a time, in order: each waits for the one two places before it. */
    const start = (i: number): ReturnType<typeof runSnippet> => {
      const known = ended.get(i);
      if (known) return known;
      const before = i < 2 ? Promise.resolve() : start(i - 2).catch(() => undefined);
      const run = before.then(() => runSnippet(programs[i]!));
      run.catch(() => undefined);
      ended.set(i, run);
      return run;
    };
    let outlived = 0;
    before(async () => {
      programs = await bundleSnippets(runnable);
      runnable.forEach((_, i) => void start(i));
    });
    after(clean);

    runnable.forEach(({ name }, i) => {
      it(name, async () => {
        const { code, out, err, shown, isLate, rejected, renewed } = await start(i);
        const { shows } = programs[i]!;
        if (process.env.SHOW) console.log(`${name}: ${shown} of ${shows} places\n${out.slice(0, 300)}`);
        if (rejected > 0) outlived++;
        ok(rejected === 0 || renewed > 0, `ends when its token expires\n${out}`);
        ok(!isLate, `does not show anything, or does not end\n${out}`);
        strictEqual(err, '');
        strictEqual(code, 0);
        ok(shows === 0 || shown > 0, 'shows nothing');
      });
    });

    it('outlives the tokens that it signs in with', () => {
      ok(outlived >= 15, `${outlived} of them`);
    });
  });
});
