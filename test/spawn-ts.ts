import { spawn, type ChildProcess } from 'node:child_process';
import { bundled } from './bundled.js';

/** A program of this repository that runs in its own process. */
export interface RunningProgram {
  readonly process: ChildProcess;
  readonly out: () => string;
  /** Resolves once the program has printed this text. */
  readonly prints: (text: string) => Promise<void>;
  readonly exited: Promise<{ code: number | null; out: string; err: string }>;
}

export interface SpawnOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Whether it runs in a terminal. If so, `out` contains all output, including standard error, as the terminal gets it. */
  readonly isTty?: boolean;
}

/** Starts a program from its source file, with its own environment. */
export function spawnTs(
  main: string,
  args: readonly string[],
  { env = {}, input, isTty = false }: SpawnOptions = {},
): RunningProgram {
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
    prints: async text => {
      while (!out.includes(text)) await new Promise(resolve => child.stdout.once('data', resolve));
    },
    exited: new Promise(resolve => child.on('close', code => resolve({ code, out, err }))),
  };
}

/** `script` is available wherever there are terminals, but its arguments differ between platforms. */
function inTerminal(command: readonly string[]): readonly string[] {
  if (process.platform !== 'linux') return ['script', '-q', '/dev/null', ...command];
  return ['script', '-qec', `exec ${command.map(word => `'${word}'`).join(' ')}`, '/dev/null'];
}
