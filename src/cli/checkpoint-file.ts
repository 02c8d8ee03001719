import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Checkpoint } from '../stream/index.js';

/** A file that stores the checkpoint of a watch between two runs. */
export interface CheckpointFile {
  /** The checkpoint in the file; undefined if there is no file yet. Throws if the file contains anything else. */
  read(): Checkpoint | undefined;
  /** Replaces the checkpoint atomically: if the process is killed meanwhile, the old one remains. */
  write(checkpoint: Checkpoint): void;
}

/** The checkpoint file at a path. Nothing is read or written before a method is called. */
export function checkpointFile(path: string): CheckpointFile {
  return {
    read: () => {
      if (!existsSync(path)) return undefined;
      try {
        const { index, at } = JSON.parse(readFileSync(path, 'utf8')) as Checkpoint;
        if (typeof index === 'string' && typeof at === 'number') return { index, at };
      } catch {
        // Invalid JSON is reported below, like other invalid content.
      }
      throw new Error(`${path} does not contain a checkpoint; pass another --checkpoint or delete the file`);
    },
    write: checkpoint => {
      const temporary = `${path}.new`;
      writeFileSync(temporary, JSON.stringify(checkpoint));
      renameSync(temporary, path);
    },
  };
}
