import { deepStrictEqual, ok } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { weights } from './weights.js';

const ROOT = join(import.meta.dirname, '../..');

const WORKBENCH = 'src/tools/workbench/page/main.tsx';
/** What `npm run build` puts into it besides. */
const PROGRAM = readFileSync(join(ROOT, 'src/tools/workbench/page/program.txt'), 'utf8');

/** What each row of the table loads: a file, or what it says. */
const LOADED: Readonly<Record<string, string>> = {
  createClient: "export { createClient } from './index.ts'",
  watch: "export { watch } from './index.ts'",
  'createClient, rosterState, feedState':
    "export { createClient } from './index.ts'; export { rosterState, feedState } from './integrations/views/index.ts'",
  'createClient, lobbyConnection': "export { createClient, lobbyConnection } from './index.ts'",
  'the workbench': WORKBENCH,
};

async function weightOf(contents: string): Promise<number> {
  const { outputFiles } = await build({
    ...(contents === WORKBENCH
      ? { entryPoints: [join(ROOT, WORKBENCH)] }
      : { stdin: { contents, resolveDir: join(ROOT, 'src'), loader: 'ts' } }),
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    logLevel: 'error',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    external: ['rxjs'],
    treeShaking: true,
    define: { PROGRAM: JSON.stringify(PROGRAM) },
    alias: {
      '#fetch': join(ROOT, 'src/transport/platform-fetch.ts'),
      '#fp-ts/Either': 'fp-ts/es6/Either.js',
    },
  });
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length / 1_000;
}

describe('what a page loads', () => {
  it('is in docs/design.md', () => deepStrictEqual([...weights.keys()], Object.keys(LOADED)));

  for (const [what, contents] of Object.entries(LOADED)) {
    it(`is no more than before with ${what}`, async () => {
      const kB = await weightOf(contents);
      ok(
        kB <= weights.get(what)!,
        `${kB.toFixed(2)} kB; take something away, or raise the number and say what for`,
      );
    });
  }
});
