import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';

/** A lock that has not been refreshed for this time, in ms, was left by a process that is dead or stopped. */
const STALE = 30_000;

/** The right of this process to be the only one that uses a file. */
export interface CheckpointLock {
  /** Shows other processes that this one is alive. Throws if the lock is gone, or another one has taken it meanwhile. */
  readonly refresh: () => void;
}

/**
 * Locks a file by a second one beside it, `FILE.lock`, until the process exits. Throws if another process has locked it. A
 * lock that a dead process left is taken over: at once if this machine has no such process, otherwise when it is stale.
 */
export function lockCheckpoint(path: string): CheckpointLock {
  const file = `${path}.lock`;
  const mark = `${process.pid} ${hostname()} ${randomUUID()}`;
  if (!acquire(path, file, mark)) throw inUse(path, file);
  const isOurs = () => textOf(file) === mark;
  process.once('exit', () => {
    if (isOurs()) rmSync(file, { force: true });
  });
  return {
    refresh: () => {
      if (!isOurs()) throw lost(path, file);
      const now = new Date();
      utimesSync(file, now, now);
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
  return !isHeld(file, other) && replace(path, file, other, mark);
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
  const age = ageOf(claim);
  if (age !== undefined && age >= STALE) rmSync(claim, { force: true });
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
  const { pid, host } = holderIn(textOf(file) ?? '');
  const who = Number.isNaN(pid)
    ? 'another process'
    : `process ${pid}${host === hostname() ? '' : ` on ${host}`}`;
  return new Error(`--checkpoint ${path} is in use by ${who}; pass another file, or stop that process`);
}

/** Whether the process that holds a lock with this mark is still running. */
function isHeld(file: string, mark: string): boolean {
  if ((ageOf(file) ?? 0) >= STALE) return false;
  const { pid, host } = holderIn(mark);
  // A process on another machine cannot be seen from here, nor one that has not yet written its id.
  if (host !== hostname()) return true;
  // In a container that is started again, ids repeat: this process may have the one of its predecessor.
  return pid !== process.pid && isRunning(pid);
}

/** In ms; undefined if there is no such file. */
function ageOf(file: string): number | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats && Date.now() - stats.mtimeMs;
}

function holderIn(mark: string): { readonly pid: number; readonly host: string | undefined } {
  const [pid, host] = mark.split(' ');
  return { pid: Number.parseInt(pid ?? ''), host };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
