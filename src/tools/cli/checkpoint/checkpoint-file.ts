import { randomBytes, randomUUID } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { defer, EMPTY, Subject, tap, type Observable } from 'rxjs';
import { cursorArgument, tryOr } from '../../../error/index.js';
import type { Checkpoint } from '../../../stream/index.js';

/** A file that stores the checkpoint of a watch between two runs. */
export interface CheckpointFile {
  /** The checkpoint of the run before. `undefined` at the first run. */
  readonly last: Checkpoint | undefined;
  /**
   * Replaces the checkpoint atomically. If the process is killed, the file has the old or the new
   * checkpoint. The Observable is cold, and completes when the checkpoint is saved. If that fails,
   * `failed$` errors first. Otherwise a watch that waits for `save` would keep the process running.
   */
  readonly save: (checkpoint: Checkpoint) => Observable<never>;
  /** Never emits. Errors once the checkpoint can no longer be saved. */
  readonly failed$: Observable<never>;
}

interface Content {
  /** `undefined` if nothing has been saved yet. */
  readonly checkpoint: Checkpoint | undefined;
  /** The id of the run that opened the file last. `undefined` if no run has written its id. */
  readonly run: string | undefined;
}

const NO_CONTENT: Content = { checkpoint: undefined, run: undefined };

/**
 * Opens the checkpoint file at a path. Throws if the file contains anything else, or cannot be
 * written.
 *
 * The file has the id of the run that opened it last. A run that finds the id of another run in it
 * saves nothing more, and fails. A lock would not work, because nobody can know whether its owner
 * in another container or host is still alive.
 */
export function openCheckpoint(path: string): CheckpointFile {
  const { checkpoint: last } = read(path);
  const run = randomUUID();
  explained('written', path, () => removeLeftovers(path));
  // This write takes the file over, and shows before the watch begins whether it can be written.
  explained('written', path, () => write(path, { checkpoint: last, run }));
  const failure$ = new Subject<never>();
  const save = (checkpoint: Checkpoint) => {
    // A file that has been removed or damaged is written again.
    const { run: owner = run } = tryOr(() => read(path), NO_CONTENT);
    if (owner !== run) throw new Error(`another run has taken over --checkpoint ${path}; this one ends`);
    explained('written', path, () => write(path, { checkpoint, run }));
  };
  return {
    last,
    save: checkpoint =>
      defer(() => {
        save(checkpoint);
        return EMPTY;
      }).pipe(tap({ error: (error: unknown) => failure$.error(error) })),
    failed$: failure$,
  };
}

function read(path: string): Content {
  const stats = explained('read', path, () => lstatSync(path, { throwIfNoEntry: false }));
  if (!stats) return NO_CONTENT;
  // A link could lead anywhere. Saving the checkpoint would replace the link and not follow it.
  if (!stats.isFile()) throw new Error(`--checkpoint must be a regular file; ${path} is something else`);
  const text = explained('read', path, () => readFileSync(path, 'utf8'));
  const content = tryOr(() => contentOf(text), undefined);
  if (content) return content;
  throw new Error(`${path} does not contain a checkpoint; pass another --checkpoint or delete the file`);
}

/** Reads the content of the file. `undefined` if the JSON has other fields. Throws if not JSON. */
function contentOf(text: string): Content | undefined {
  const { index, at, run } = JSON.parse(text) as Partial<Checkpoint> & Partial<Content>;
  if (run !== undefined && typeof run !== 'string') return undefined;
  if (run !== undefined && index === undefined) return { checkpoint: undefined, run };
  const isIndex = index === '' || cursorArgument.is(index);
  return isIndex && Number.isFinite(at) ? { checkpoint: { index, at: at! }, run } : undefined;
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

function write(path: string, { checkpoint, run }: Content): void {
  // The name cannot be guessed, and `wx` fails if the file exists. So a link that someone else has
  // put there is never followed.
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const text = JSON.stringify({ ...checkpoint, run });
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600, flush: true });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Names the flag in an error of the file system. */
function explained<T>(done: 'read' | 'written', path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Saving renames another file over this one. That fails for the target of a mount.
    const remedy = code === 'EBUSY' ? '; mount its folder instead of the file itself' : '';
    throw new Error(`--checkpoint ${path} cannot be ${done}: ${message}${remedy}`);
  }
}
