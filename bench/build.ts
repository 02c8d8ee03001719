import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');
const PEERS = join(import.meta.dirname, 'node_modules');

/**
 * The package as it is published, and the programs that measure it: none of them pays for a loader
 * of TypeScript.
 */
export interface Programs {
  readonly path: (name: string) => string;
  readonly remove: () => void;
}

/**
 * Compiles the package and the programs into a folder below the peers. With a copy of package.json,
 * `lobby-rx` is that package there; everything else is found in the node_modules above, rxjs only
 * in those of the library.
 */
export async function buildPrograms(): Promise<Programs> {
  if (!existsSync(join(PEERS, 'zod'))) {
    console.error('The peers are missing. Run: npm install --no-save --prefix bench');
    process.exit(2);
  }
  mkdirSync(join(PEERS, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(PEERS, '.cache/lobby-rx-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.on('exit', remove);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

  copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  const builder = ['--import', 'tsx', join(ROOT, 'test/build.ts'), join(folder, 'dist')];
  execFileSync(process.execPath, builder, { cwd: ROOT, stdio: 'inherit' });
  await build({
    entryPoints: [
      'admission-server',
      'admission-service',
      'part',
      'peers-service',
      'peers-watcher',
      'player',
      'service',
      'stopper',
      'upgrade-server',
      'watcher',
    ].map(name => join(import.meta.dirname, `${name}.ts`)),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    chunkNames: '[name]-[hash]',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    // Without the paths of the project's tsconfig.json, which would bundle the sources of the
    // library.
    tsconfigRaw: {},
  });
  return { path: name => join(folder, `${name}.mjs`), remove };
}
