import { copyFileSync, renameSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { buildSync } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');
/** At the same depth below a package.json as the sources, because some of them read it. */
const FOLDER = join(ROOT, 'node_modules/.cache/lobby-rx');
const bundles = new Set<string>();

/**
 * Bundles a program into one JavaScript file and returns its path. The bundle starts three times as
 * fast as the sources.
 */
export function bundled(main: string): string {
  const name = relative(ROOT, main).replace(/\.ts$/, '');
  const outfile = join(FOLDER, 'bundle', name.replaceAll('/', '-'), basename(name) + '.mjs');
  if (bundles.has(outfile)) return outfile;
  // Mocha's processes may build the same bundle at the same time, and none must start from a
  // partial file.
  const unfinished = `${outfile}.${process.pid}`;
  buildSync({
    entryPoints: [main],
    outfile: unfinished,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // `npm run coverage` counts the lines of the sources.
    ...(process.env.NODE_V8_COVERAGE ? { sourcemap: 'inline', sourcesContent: false } : {}),
    // CommonJS dependencies load Node's modules with require.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  copyFileSync(join(ROOT, 'package.json'), join(FOLDER, 'package.json'));
  renameSync(unfinished, outfile);
  bundles.add(outfile);
  return outfile;
}
