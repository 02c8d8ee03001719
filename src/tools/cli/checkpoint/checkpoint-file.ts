import { randomBytes } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { defer, EMPTY, Subject, tap, type Observable } from 'rxjs';
import { cursorArgument } from '../../../error/index.js';
import type { Checkpoint } from '../../../stream/index.js';
import { lockCheckpoint } from './checkpoint-lock.js';

/** A file that stores the checkpoint of a watch between two runs. */
export interface CheckpointFile {
  /** The checkpoint of the run before; undefined if there is none. */
  readonly last: Checkpoint | undefined;
  /**
   * Replaces the checkpoint atomically: if the process is killed meanwhile, the old one remains.
   * Cold; it completes when that is done. If it cannot be done, `failed$` errors, then this does,
   * too: a watch that still waited for it would keep the process running.
   */
  readonly save: (checkpoint: Checkpoint) => Observable<never>;
  /** Never emits. Errors once the checkpoint can no longer be saved. */
  readonly failed$: Observable<never>;
}

/**
 * Opens the checkpoint file at a path, for this process alone. Throws if another process uses it,
 * if it contains anything else, or if it cannot be written.
 */
export function openCheckpoint(path: string): CheckpointFile {
  const lock = explained(path, () => lockCheckpoint(path));
  const last = read(path);
  explained(path, () => removeLeftovers(path));
  // Written again, to find out before the watch begins whether that is possible.
  if (last) explained(path, () => write(path, last));
  const failure$ = new Subject<never>();
  return {
    last,
    save: checkpoint =>
      defer(() => {
        explained(path, () => {
          lock.check();
          write(path, checkpoint);
        });
        return EMPTY;
      }).pipe(tap({ error: (error: unknown) => failure$.error(error) })),
    failed$: failure$,
  };
}

function read(path: string): Checkpoint | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return undefined;
  // A link could lead anywhere, and is replaced, not followed, when the checkpoint is saved.
  if (!stats.isFile()) throw new Error(`--checkpoint must be a regular file; ${path} is something else`);
  try {
    const { index, at } = JSON.parse(readFileSync(path, 'utf8')) as Checkpoint;
    const isIndex = index === '' || cursorArgument.is(index);
    if (isIndex && Number.isFinite(at)) return { index, at };
  } catch {
    // Invalid JSON is reported below, like other invalid content.
  }
  throw new Error(`${path} does not contain a checkpoint; pass another --checkpoint or delete the file`);
}

const TEMPORARY = /^\.[\da-f]{12}\.tmp$/;

/** Removes the temporary files of processes that were killed before they could rename them. */
function removeLeftovers(path: string): void {
  const folder = dirname(path);
  const name = basename(path);
  for (const other of readdirSync(folder)) {
    if (other.startsWith(name) && TEMPORARY.test(other.slice(name.length))) rmSync(join(folder, other));
  }
}

function write(path: string, checkpoint: Checkpoint): void {
  // A name that cannot be guessed, and `wx`: a link that someone else has put there is never
  // followed.
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeFileSync(temporary, JSON.stringify(checkpoint), { flag: 'wx', mode: 0o600, flush: true });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Names the flag in an error of the file system. */
function explained<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // It is replaced by another one, which the target of a mount cannot be.
    const remedy = code === 'EBUSY' ? '; mount its folder instead of the file itself' : '';
    throw code === undefined
      ? error
      : new Error(`--checkpoint ${path} cannot be written: ${message}${remedy}`);
  }
}
