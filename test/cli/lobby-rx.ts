import { join } from 'node:path';
import { spawnTs, type Run, type Setting } from '../spawn-ts.js';

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');

/** Starts `lobby-rx` as a process of its own. */
export function lobbyRx(args: readonly string[], setting?: Setting): Run {
  return spawnTs(MAIN, args, setting);
}
