import { spawn, type ChildProcess } from 'node:child_process';
import { bundled } from './bundled.js';

/** A program of ours as a process. */
export interface Run {
  readonly process: ChildProcess;
  readonly out: () => string;
  /** Resolves when it has printed this. */
  readonly says: (text: string) => Promise<void>;
  readonly ended: Promise<{ code: number | null; out: string; err: string }>;
}

export interface Setting {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Whether it runs in a terminal: all that it prints is in `out` then, as a terminal gets it. */
  readonly isTty?: boolean;
}

/** Starts it from its source file, in an environment of its own. */
export function spawnTs(
  main: string,
  args: readonly string[],
  { env = {}, input, isTty = false }: Setting = {},
): Run {
  const command = [process.execPath, bundled(main), ...args];
  const [file, ...rest] = isTty ? inTerminal(command) : command;
  const child = spawn(file!, rest, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...env },
  });
  child.stdin.on('error', () => undefined);
  if (!isTty) child.stdin.end(input);
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

/** `script` is there wherever there are terminals, but not everywhere the same. */
function inTerminal(command: readonly string[]): readonly string[] {
  if (process.platform !== 'linux') return ['script', '-q', '/dev/null', ...command];
  return ['script', '-qec', `exec ${command.map(word => `'${word}'`).join(' ')}`, '/dev/null'];
}
