import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { FollowerName } from './messages.js';

export const wait = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));

/** Starts a program of this folder. */
export function spawn(name: 'service' | 'proxy' | FollowerName): ChildProcess {
  return spawnFile(join(import.meta.dirname, `${name}.ts`));
}

/** Starts a program. What it writes to its standard error can be read. */
export function spawnFile(file: string): ChildProcess {
  return fork(file, {
    execArgv: ['--import', 'tsx', '--expose-gc'],
    stdio: ['inherit', 'inherit', 'pipe', 'ipc'],
  });
}

/** The next message of a child. */
export function answerOf<T>(child: ChildProcess): Promise<T> {
  return new Promise(resolve => child.once('message', message => resolve(message as T)));
}

/** The exit code of a child, when it ends or has ended. */
export function endOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise(resolve => child.once('exit', code => resolve(code)));
}

export async function freeze(child: ChildProcess, ms: number): Promise<void> {
  child.kill('SIGSTOP');
  await wait(ms);
  child.kill('SIGCONT');
}
