import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
const CLI = join(ROOT, 'src/cli');
const ENTRIES = ['index.d.ts', 'emulator/index.d.ts', 'lobby-server/index.d.ts'];

rmSync(DIST, { recursive: true, force: true });
// One module stays one file: bundlers leave out what is not used, and a stack trace names the file that the design names.
execFileSync('npx', ['tsc', '-p', 'src/tsconfig.build.json'], { cwd: ROOT, stdio: 'inherit' });
await bundleCommand();
removeUnreachable();

/** The command line is imported by nobody, so it is one file, above the modules of the library. */
async function bundleCommand(): Promise<void> {
  await build({
    ...{ entryPoints: [join(CLI, 'main.ts')], outfile: join(DIST, 'cli/main.js'), bundle: true },
    ...{ platform: 'node', format: 'esm', target: 'node20', packages: 'external', logLevel: 'warning' },
    plugins: [
      {
        name: 'the modules of the library stay where they are',
        setup: builder =>
          builder.onResolve({ filter: /^\.\.\// }, ({ path, resolveDir }) => {
            const fromCommand = relative(CLI, join(resolveDir, path));
            return fromCommand.startsWith('..')
              ? { path: fromCommand.replaceAll(sep, '/'), external: true }
              : undefined;
          }),
      },
    ],
  });
}

/** Removes the declarations that no entry leads to. */
function removeUnreachable(): void {
  const options = { module: ts.ModuleKind.NodeNext, types: [], noLib: true };
  const program = ts.createProgram(
    ENTRIES.map(entry => join(DIST, entry)),
    options,
  );
  const reached = new Set(program.getSourceFiles().map(({ fileName }) => relative(DIST, fileName)));
  for (const path of readdirSync(DIST, { recursive: true, encoding: 'utf8' })) {
    if (path.endsWith('.d.ts') && !reached.has(path)) rmSync(join(DIST, path));
  }
}
