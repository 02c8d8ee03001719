import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { join } from 'node:path';
import ts from 'typescript';
import { DECLARATIONS } from './snippet/names.js';
import { bundleSnippets, clean, runSnippet, type Program } from './snippet/run-snippet.js';
import { allSnippets } from './snippet/snippet.js';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(import.meta.dirname, 'snippet');
const snippets = allSnippets();

describe('The snippets of README and docs', () => {
  it('all compile', () => {
    ok(snippets.length >= 5);
    deepStrictEqual(compilerErrors(), []);
  });

  it('all sign in so that an expired token is renewed, but for lobbies, emulators and recordings', () => {
    const signIns = snippets.filter(({ code }) => /\b(?:createClient|provideLobby|runFleet)\(/.test(code));
    const needsNone = /\blobbyGate\(|lobby-rx\/emulator|\bemulator\.|\bfromRecording\(/;
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

/** The compiler errors of all snippets, with the names that a reader is assumed to have. */
function compilerErrors(): readonly string[] {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), path => ts.sys.readFile(path)) as {
    config: object;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  // Those of Angular are not yet what the language has.
  options.experimentalDecorators = true;
  const texts = new Map([
    [join(FOLDER, 'declarations.d.ts'), { name: 'the declarations', code: DECLARATIONS }],
    ...snippets.map(({ name, code }, i) => {
      return [join(FOLDER, `snippet-${i}.ts`), { name, code: `${code}\nexport {};` }] as const;
    }),
  ]);
  const host = ts.createCompilerHost(options);
  const disk = { ...host };
  host.fileExists = path => texts.has(path) || disk.fileExists(path);
  host.getSourceFile = (path, ...rest) => {
    const text = texts.get(path);
    return text === undefined
      ? disk.getSourceFile(path, ...rest)
      : ts.createSourceFile(path, text.code, ts.ScriptTarget.ES2022);
  };
  const program = ts.createProgram([...texts.keys()], options, host);
  return [...texts].flatMap(([path, { name, code }]) =>
    ts.getPreEmitDiagnostics(program, program.getSourceFile(path)).map(({ messageText, start = 0 }) => {
      const line = code.slice(0, start).split('\n').length;
      return `${name}, line ${line} of it: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    }),
  );
}
