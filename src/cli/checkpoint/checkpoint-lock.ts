import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';

/** A lock that has not been refreshed for this time, in ms, was left by a process that is dead or stopped. */
const STALE = 30_000;

/** The right of this process to be the only one that uses a file. */
export interface CheckpointLock {
  /** Shows other processes that this one is alive. Throws if another one has taken the lock meanwhile. */
  readonly refresh: () => void;
}

/**
 * Locks a file by a second one beside it, `FILE.lock`, until the process exits. Throws if another process has locked it. A
 * lock that a dead process left is taken over: at once if its process id is unused, otherwise when it is stale.
 */
export function lockCheckpoint(path: string): CheckpointLock {
  const file = `${path}.lock`;
  const mark = `${process.pid} ${randomUUID()}`;
  const create = () => writeFileSync(file, mark, { flag: 'wx', mode: 0o600 });
  try {
    create();
  } catch (error) {
    if (!isAlready(error)) throw error;
    if (isHeld(file)) throw inUse(path, file);
    rmSync(file, { force: true });
    create();
  }
  const isOurs = () => textOf(file) === mark;
  process.once('exit', () => {
    if (isOurs()) rmSync(file, { force: true });
  });
  return {
    refresh: () => {
      if (!isOurs()) throw new Error(`another process has taken over ${path}`);
      const now = new Date();
      utimesSync(file, now, now);
    },
  };
}

const isAlready = (error: unknown) => (error as NodeJS.ErrnoException).code === 'EEXIST';

function inUse(path: string, file: string): Error {
  const pid = Number.parseInt(textOf(file) ?? '');
  const who = Number.isNaN(pid) ? 'another process' : `process ${pid}`;
  return new Error(`--checkpoint ${path} is in use by ${who}; pass another file, or stop that process`);
}

/** Whether the process that holds a lock is still running. */
function isHeld(file: string): boolean {
  const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  const pid = Number.parseInt(textOf(file) ?? '');
  // In containers, process ids repeat from one start to the next: this one's, too.
  return age < STALE && pid !== process.pid && (Number.isNaN(pid) || isRunning(pid));
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
