import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');

/** The package as `npm publish` would send it. */
export interface Packed {
  readonly tarball: string;
  readonly files: readonly string[];
}

let running: Promise<Packed> | undefined;

/** Packs the package, once for all tests of a process. Its `dist/` is up to date after that. */
export function packed(): Promise<Packed> {
  running ??= pack();
  return running;
}

async function pack(): Promise<Packed> {
  const folder = mkdtempSync(join(tmpdir(), 'lobby-rx-packed-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const args = ['pack', '--json', '--pack-destination', folder];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: ROOT });
  // The build prints to the same stream.
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [
    { filename: string; files: { path: string }[] },
  ];
  return { tarball: join(folder, filename), files: files.map(({ path }) => path).sort() };
}
