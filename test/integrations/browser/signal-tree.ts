import { readdirSync, readFileSync } from 'node:fs';
import { tryOr } from '../../../src/error/index.js';

/**
 * Sends a signal to a process and all that it has started. `SIGSTOP` is the sleep of a machine to
 * them: no timer runs, and connections stay open.
 */
export function signalTree(pid: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
  process.kill(pid, signal);
  const ids = readdirSync('/proc').filter(name => /^\d+$/.test(name));
  for (const id of ids) {
    const status = tryOr(() => readFileSync(`/proc/${id}/status`, 'utf8'), '');
    if (status.includes(`\nPPid:\t${pid}\n`)) signalTree(Number(id), signal);
  }
}
