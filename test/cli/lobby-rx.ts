import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');

/** The command line as a process. */
export interface Run {
  readonly process: ChildProcess;
  readonly out: () => string;
  /** Resolves when it has printed this. */
  readonly says: (text: string) => Promise<void>;
  readonly ended: Promise<{ code: number | null; out: string; err: string }>;
}

export function lobbyRx(
  args: readonly string[],
  { env = {}, input }: { env?: Readonly<Record<string, string>>; input?: string } = {},
): Run {
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...env },
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  let out = '';
  let err = '';
  child.stdout.on('data', (data: Buffer) => (out += data.toString()));
  child.stderr.on('data', (data: Buffer) => (err += data.toString()));
  return {
    process: child,
    out: () => out,
    says: async text => {
      while (!out.includes(text)) await new Promise(resolve => child.stdout.once('data', resolve));
    },
    ended: new Promise(resolve => child.on('close', code => resolve({ code, out, err }))),
  };
}
