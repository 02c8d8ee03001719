import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** A lock that has not been refreshed for this time, in ms, was left by a process that is dead or stopped. */
const STALE = 30_000;

/** The right of this process to be the only one that uses a file. */
export interface CheckpointLock {
  /** Shows other processes that this one is alive. Throws if another one has taken the lock meanwhile. */
  readonly refresh: () => void;
}

/**
 * Locks a file by a second one beside it, `FILE.lock`, until the process exits. Throws if another process has locked it. A
 * lock that a dead process left is taken over: at once if this machine has no such process, otherwise when it is stale.
 */
export function lockCheckpoint(path: string): CheckpointLock {
  const file = `${path}.lock`;
  const mark = `${process.pid} ${hostname()} ${randomUUID()}`;
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
  const { pid, host } = holderOf(file);
  const who = Number.isNaN(pid)
    ? 'another process'
    : `process ${pid}${host === hostname() ? '' : ` on ${host}`}`;
  return new Error(`--checkpoint ${path} is in use by ${who}; pass another file, or stop that process`);
}

/** Whether the process that holds a lock is still running. */
function isHeld(file: string): boolean {
  const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  if (age >= STALE) return false;
  const { pid, host } = holderOf(file);
  // A process on another machine cannot be seen from here, nor one that has not yet written its id.
  if (host !== hostname()) return true;
  // In a container that is started again, ids repeat: this process may have the one of its predecessor.
  return pid !== process.pid && isRunning(pid);
}

function holderOf(file: string): { readonly pid: number; readonly host: string | undefined } {
  const [pid, host] = textOf(file)?.split(' ') ?? [];
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
