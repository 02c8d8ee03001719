import { join } from 'node:path';
import { spawnTs, type Run, type Setting } from '../spawn-ts.js';

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');

/** The command line as a process. */
export function lobbyRx(args: readonly string[], setting?: Setting): Run {
  return spawnTs(MAIN, args, setting);
}
