import { renameSync, writeFileSync } from 'node:fs';
import type { Checkpoint } from '../stream/index.js';

/** Writes a checkpoint, whole or not at all: whoever is killed while it is written has the one before it. */
export function writeCheckpoint(file: string, checkpoint: Checkpoint): void {
  const beside = `${file}.new`;
  writeFileSync(beside, JSON.stringify(checkpoint));
  renameSync(beside, file);
}
