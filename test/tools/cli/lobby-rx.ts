import { join } from 'node:path';
import { spawnTs, type RunningProgram, type SpawnOptions } from '../../spawn-ts.js';

const MAIN = join(import.meta.dirname, '../../../src/tools/cli/main.ts');

/** Starts `lobby-rx` in a separate process. */
export function lobbyRx(args: readonly string[], options?: SpawnOptions): RunningProgram {
  return spawnTs(MAIN, args, options);
}
