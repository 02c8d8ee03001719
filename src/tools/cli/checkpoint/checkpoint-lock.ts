import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** The right of this process to be the only one that uses a file. */
export interface CheckpointLock {
  /** Throws if the lock is gone, or another process has taken it. */
  readonly check: () => void;
}

/**
 * Locks a file by a second one beside it, `FILE.lock`, with the number of this process, until that exits. Throws if another process
 * has locked it. The lock of a process that is dead is taken over.
 */
export function lockCheckpoint(path: string): CheckpointLock {
  const file = `${path}.lock`;
  const mark = `${process.pid} ${randomUUID()}`;
  if (!acquire(path, file, mark)) throw inUse(path, file);
  const isOurs = () => textOf(file) === mark;
  process.once('exit', () => {
    if (isOurs()) rmSync(file, { force: true });
  });
  return {
    check: () => {
      if (!isOurs()) throw lost(path, file);
    },
  };
}

/** Whether this process has got the lock. */
function acquire(path: string, file: string, mark: string): boolean {
  if (create(file, mark)) return true;
  // Reading anything else may never end.
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === false)
    throw new Error(`--checkpoint needs ${file} for itself, which is not a regular file; pass another file`);
  const other = textOf(file);
  // Its holder has just ended.
  if (other === undefined) return create(file, mark);
  return isDead(other) && replace(path, file, other, mark);
}

/** Creates a file that contains this text, or none: an empty lock would keep everyone out. False if there is such a file. */
function create(file: string, text: string): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  try {
    writeFileSync(descriptor, text);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
  return true;
}

/**
 * Replaces the lock of a dead process at once, so that there is always one. If several processes try, only the one may do so
 * that has created a file whose name follows from the dead one's mark. `checkpoint-file.ts` removes it if it is left over.
 */
function replace(path: string, file: string, dead: string, mark: string): boolean {
  const claim = `${path}.${createHash('sha256').update(dead).digest('hex').slice(0, 12)}.tmp`;
  if (isDead(textOf(claim) ?? '')) rmSync(claim, { force: true });
  if (!create(claim, mark)) return false;
  try {
    // Another process may have replaced it before we had the claim. From now on, no other does.
    if (textOf(file) !== dead) return false;
    renameSync(claim, file);
    return textOf(file) === mark;
  } finally {
    rmSync(claim, { force: true });
  }
}

function lost(path: string, file: string): Error {
  const gone = [dirname(file), file].find(one => !existsSync(one));
  return new Error(
    gone === undefined
      ? `another process has taken over ${path}`
      : `--checkpoint ${path} cannot be written: ${gone} is gone`,
  );
}

function inUse(path: string, file: string): Error {
  const id = processOf(textOf(file) ?? '');
  const who = Number.isNaN(id) ? 'another process' : `process ${id}`;
  const remedy = `pass another file, stop that process, or delete ${file} if there is none`;
  return new Error(`--checkpoint ${path} is in use by ${who}; ${remedy}`);
}

/** Whether the process with this mark has ended. In a container that is started again, this one may have the number of its predecessor. */
function isDead(mark: string): boolean {
  const id = processOf(mark);
  if (Number.isNaN(id) || id === process.pid) return id === process.pid;
  try {
    process.kill(id, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function processOf(mark: string): number {
  return Number.parseInt(mark);
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
