import { execFileSync, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** How many busy processes share a core with the one that is starved. */
const RIVALS = 4;

/**
 * Starts busy processes that end by themselves after so many ms, or with this one. Resolves when
 * they have ended.
 */
export async function keepBusy(count: number, ms: number, core?: string): Promise<void> {
  const program = `const end = Date.now() + ${ms}; while (Date.now() < end && process.ppid === ${process.pid});`;
  const command = [process.execPath, '-e', program];
  const [file, ...args] = core === undefined ? command : ['taskset', '-c', core, ...command];
  const one = () => new Promise(resolve => spawn(file!, args, { stdio: 'ignore' }).once('exit', resolve));
  await Promise.all(Array.from({ length: count }, one));
}

/**
 * The cores that a process may use, as `taskset` names them; undefined if there is no `taskset`.
 */
export function coresOf(pid: number): string | undefined {
  try {
    return execFileSync('taskset', ['-cp', String(pid)], { encoding: 'utf8' })
      .split(': ')[1]
      ?.trim();
  } catch {
    return undefined;
  }
}

/** Moves all threads of a process to these cores. */
export function pin(pid: number, cores: string): void {
  try {
    execFileSync('taskset', ['-acp', cores, String(pid)], { stdio: 'ignore' });
  } catch {
    // It has ended meanwhile.
  }
}

/**
 * Leaves a process little of the CPU for so many ms: it shares a core with busy ones or, without
 * `taskset`, all cores.
 */
export async function starve(pid: number, ms: number): Promise<void> {
  const cores = coresOf(pid);
  const core = cores?.split(/[,-]/)[0];
  if (cores === undefined || core === undefined) return keepBusy(RIVALS * availableParallelism(), ms);
  pin(pid, core);
  await keepBusy(RIVALS, ms, core);
  pin(pid, cores);
}
