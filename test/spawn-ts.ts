import { spawn, type ChildProcess } from 'node:child_process';
import { bundled } from './bundled.js';

/** A program of this repository that runs in its own process. */
export interface RunningProgram {
  readonly process: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  /** Resolves once the program has printed this text. */
  readonly prints: (text: string) => Promise<void>;
  /** Resolves once the program has printed this text on standard error. */
  readonly warns: (text: string) => Promise<void>;
  readonly exited: Promise<{ code: number | null; out: string; err: string }>;
}

export interface SpawnOptions {
  readonly env?: Readonly<Record<string, string>>;
  /**
   * What it reads on standard input, until the end. Default: nothing. With `isOpen` the input does
   * not end there.
   */
  readonly input?: string | Buffer;
  /** Whether standard input stays open, to be written to. Default false, except in a terminal. */
  readonly isOpen?: boolean;
  /**
   * Whether it runs in a terminal. If so, `out` contains all output, including standard error, as
   * the terminal gets it:
   * - `fake`: Node is told that its streams are a terminal. That works everywhere, but keys like
   *   Ctrl-C are mere characters.
   * - `real`: a pseudo terminal, made by `script`, which is not installed everywhere.
   */
  readonly terminal?: 'fake' | 'real';
  /**
   * A shell script that starts the program as `exec "$@"`, to redirect its output or to limit what
   * it may do.
   */
  readonly script?: string;
}

/** Starts a program from its source file, with its own environment. */
export function spawnTs(
  main: string,
  args: readonly string[],
  { env = {}, input, terminal, script, isOpen = terminal !== undefined }: SpawnOptions = {},
): RunningProgram {
  const command = [process.execPath, bundled(main), ...args];
  const [file, ...rest] = script === undefined ? inTerminal(command, terminal) : inShell(script, command);
  const child = spawn(file!, rest, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...env },
  });
  child.stdin.on('error', () => undefined);
  if (isOpen) child.stdin.write(input ?? '');
  else child.stdin.end(input);
  let out = '';
  let err = '';
  child.stdout.on('data', (data: Buffer) => {
    out += data.toString();
  });
  child.stderr.on('data', (data: Buffer) => {
    err += data.toString();
  });
  return {
    process: child,
    out: () => out,
    err: () => err,
    prints: async text => {
      while (!out.includes(text)) await new Promise(resolve => child.stdout.once('data', resolve));
    },
    warns: async text => {
      while (!err.includes(text)) await new Promise(resolve => child.stderr.once('data', resolve));
    },
    exited: new Promise(resolve => child.on('close', code => resolve({ code, out, err }))),
  };
}

/** Makes Node take its streams for a terminal, before the program is loaded. */
const FAKE_TERMINAL = `data:text/javascript,${encodeURIComponent(`
  import { WriteStream } from 'node:tty';
  const { hasColors, getColorDepth } = WriteStream.prototype;
  Object.assign(process.stdin, { isTTY: true, setRawMode: () => process.stdin });
  for (const stream of [process.stdout, process.stderr])
    Object.assign(stream, { isTTY: true, columns: 80, hasColors, getColorDepth });
`)}`;

function inTerminal(command: readonly string[], terminal: SpawnOptions['terminal']): readonly string[] {
  const [node, ...args] = command;
  if (terminal === 'fake') return inShell('exec "$@" 2>&1', [node!, '--import', FAKE_TERMINAL, ...args]);
  if (terminal === undefined) return command;
  // The arguments of `script` differ between platforms.
  if (process.platform !== 'linux') return ['script', '-q', '/dev/null', ...command];
  return ['script', '-qec', `exec ${command.map(word => `'${word}'`).join(' ')}`, '/dev/null'];
}

function inShell(script: string, command: readonly string[]): readonly string[] {
  return ['sh', '-c', script, 'sh', ...command];
}
