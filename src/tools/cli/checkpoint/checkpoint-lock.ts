import { createHash, randomBytes, randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';

/**
 * How often a lock is touched, in ms, and after how long without it is dead for other hosts, which
 * cannot see its process.
 */
const TOUCH_MS = 15_000;
const DEAD_MS = 60_000;

/** The right of this process to be the only one that uses a file. */
export interface CheckpointLock {
  /** Throws if the lock is gone, or another process has taken it. */
  readonly check: () => void;
}

/**
 * Locks a file by a second one beside it, `FILE.lock`, that says which process of which host has
 * it, until that exits. Throws if another process has locked it. The lock of a process that is dead
 * is taken over.
 */
export function lockCheckpoint(path: string): CheckpointLock {
  const file = `${path}.lock`;
  const mark = `${hostname()} ${process.pid} ${startOf(process.pid) ?? '-'} ${randomUUID()}`;
  const descriptor = acquire(path, file, mark);
  if (descriptor === undefined) throw inUse(path, file);
  const touch = () => {
    try {
      // What has been taken over meanwhile is another file, which this does not reach.
      fs.writeSync(descriptor, mark, 0);
    } catch {
      // A lock that cannot be touched is lost, which `check` says.
    }
  };
  setInterval(touch, TOUCH_MS).unref();
  const isOurs = () => textOf(file) === mark;
  process.once('exit', () => {
    if (isOurs()) fs.rmSync(file, { force: true });
  });
  return {
    check: () => {
      if (!isOurs()) throw lost(path, file);
    },
  };
}

/** The descriptor of the lock if this process has got it. */
function acquire(path: string, file: string, mark: string): number | undefined {
  const created = create(file, mark);
  if (created !== undefined) return created;
  // Reading anything else may never end.
  if (fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() === false)
    throw new Error(`--checkpoint needs ${file} for itself, which is not a regular file; pass another file`);
  const other = textOf(file);
  // Its holder has just ended.
  if (other === undefined) return create(file, mark);
  return isDead(file, path) ? replace(path, file, other, mark) : undefined;
}

/**
 * Creates a file that contains this text, or none: an empty lock would keep everyone out. Undefined
 * if there is such a file.
 */
function create(file: string, text: string): number | undefined {
  let descriptor: number;
  try {
    descriptor = fs.openSync(file, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  }
  try {
    fs.writeSync(descriptor, text);
    return descriptor;
  } catch (error) {
    fs.closeSync(descriptor);
    fs.rmSync(file, { force: true });
    throw error;
  }
}

/**
 * Replaces the lock of a dead process at once, so that there is always one. If several processes
 * try, only the one may do so that has created a file whose name follows from the dead one's mark.
 * `checkpoint-file.ts` removes it if it is left over.
 */
function replace(path: string, file: string, dead: string, mark: string): number | undefined {
  const claim = `${path}.${createHash('sha256').update(dead).digest('hex').slice(0, 12)}.tmp`;
  if (fs.existsSync(claim) && isDead(claim, path)) fs.rmSync(claim, { force: true });
  const descriptor = create(claim, mark);
  if (descriptor === undefined) return undefined;
  try {
    // Another process may have replaced it before we had the claim. From now on, no other does.
    if (textOf(file) === dead) fs.renameSync(claim, file);
    return textOf(file) === mark ? descriptor : undefined;
  } finally {
    fs.rmSync(claim, { force: true });
  }
}

function lost(path: string, file: string): Error {
  const gone = [dirname(file), file].find(one => !fs.existsSync(one));
  return new Error(
    gone === undefined
      ? `another process has taken over ${path}`
      : `--checkpoint ${path} cannot be written: ${gone} is gone`,
  );
}

function inUse(path: string, file: string): Error {
  const [host, id = ''] = (textOf(file) ?? '').split(' ');
  const who = /^\d+$/.test(id) ? `process ${id} of ${host}` : 'another process';
  const until = host === hostname() ? '' : ` ${DEAD_MS / 1_000} s ago, if it runs on another host`;
  return new Error(
    `--checkpoint ${path} is in use by ${who}; pass another file, or try again once that has ended${until}`,
  );
}

/** Whether the process whose mark is in this file has ended. */
function isDead(file: string, path: string): boolean {
  const [host, id, start] = (textOf(file) ?? '').split(' ');
  if (host !== hostname()) return untouchedFor(file, path) > DEAD_MS;
  // In a container that is started again, this process may have the number of its predecessor.
  if (Number(id) === process.pid) return true;
  try {
    process.kill(Number(id), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
  // Its number may belong to another program now.
  return start !== '-' && startOf(Number(id)) !== start;
}

/** When a process began, in the ticks of its machine; undefined if the platform does not say. */
function startOf(id: number): string | undefined {
  // The name before it may contain blanks, and parentheses.
  return textOf(`/proc/${id}/stat`)?.split(') ').at(-1)?.split(' ')[19];
}

/**
 * How long ago a file was written, in ms, by the clock of its folder, which may be that of another
 * machine.
 */
function untouchedFor(file: string, path: string): number {
  const probe = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  const descriptor = fs.openSync(probe, 'wx', 0o600);
  const now = fs.fstatSync(descriptor).mtimeMs;
  fs.closeSync(descriptor);
  fs.rmSync(probe, { force: true });
  return now - (fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? -Infinity);
}

function textOf(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
