import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

export const wait = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));

/** Starts a program of this folder. */
export function spawn(name: 'service' | 'consumer' | 'visitor'): ChildProcess {
  return fork(join(import.meta.dirname, `${name}.ts`), {
    execArgv: ['--import', 'tsx', '--expose-gc'],
    stdio: ['inherit', 'inherit', 'pipe', 'ipc'],
  });
}

/** The next message of a child. */
export function answerOf<T>(child: ChildProcess): Promise<T> {
  return new Promise(resolve => child.once('message', message => resolve(message as T)));
}

/** The exit code of a child, when it ends. */
export function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise(resolve => child.once('exit', code => resolve(code)));
}

export async function freeze(child: ChildProcess, ms: number): Promise<void> {
  child.kill('SIGSTOP');
  await wait(ms);
  child.kill('SIGCONT');
}
