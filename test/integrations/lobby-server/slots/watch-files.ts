import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** The functions by which `slotFiles` changes files. */
const CHANGES = ['mkdirSync', 'renameSync', 'writeFileSync', 'rmSync', 'rmdirSync'] as const;
type Change = (typeof CHANGES)[number];

/**
 * Calls `before` with each change of files that this process is about to make, and `after` once it
 * is made. What they throw ends the change. Returns the function that ends it.
 */
export function watchFiles(
  before: (change: Change, args: readonly unknown[]) => void,
  after: () => void = () => undefined,
): () => void {
  const originals = CHANGES.map(name => [name, fs[name]] as const);
  for (const [name, original] of originals) {
    const change = (...args: readonly unknown[]): unknown => {
      before(name, args);
      const result: unknown = Reflect.apply(original, fs, args);
      after();
      return result;
    };
    Object.assign(fs, { [name]: change });
  }
  syncBuiltinESMExports();
  return () => {
    Object.assign(fs, Object.fromEntries(originals));
    syncBuiltinESMExports();
  };
}
