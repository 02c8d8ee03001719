import { existsSync, readFileSync } from 'node:fs';
import type { Checkpoint } from '../stream/index.js';

/** The checkpoint in a file; none where there is no such file yet. Throws an error that says what is wrong with it. */
export function readCheckpoint(file: string): Checkpoint | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const { index, at } = JSON.parse(readFileSync(file, 'utf8')) as Checkpoint;
    if (typeof index === 'string' && typeof at === 'number') return { index, at };
  } catch {
    // Told below: it is one fault, however it shows.
  }
  throw new Error(`${file} holds no checkpoint; give another --checkpoint, or remove it`);
}
