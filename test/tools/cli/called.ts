import { Readable } from 'node:stream';
import { mock } from 'node:test';
import { connected } from '../../../src/tools/cli/connected.js';
import { doctor } from '../../../src/tools/cli/doctor.js';
import { emulate } from '../../../src/tools/cli/emulate/index.js';
import { events } from '../../../src/tools/cli/events.js';
import { fleet } from '../../../src/tools/cli/fleet/index.js';
import { members } from '../../../src/tools/cli/members.js';
import { watch } from '../../../src/tools/cli/watch.js';

const COMMANDS = { connected, doctor, emulate, events, fleet, members, watch };

/**
 * Calls a command in the process of the tests, for what it says before it does anything: to start
 * one for each call takes most of the time. It must end by itself.
 */
export async function called(
  [name, ...args]: readonly [keyof typeof COMMANDS, ...string[]],
  env: Readonly<Record<string, string>> = {},
  input = '',
): Promise<{ code: number | string | undefined; out: string; err: string }> {
  const before = { env: process.env, exitCode: process.exitCode };
  let out = '';
  let err = '';
  const written = [
    mock.method(process.stdout, 'write', (text: string, onWritten?: () => void) => {
      out += text;
      if (onWritten) process.nextTick(onWritten);
      return true;
    }),
    mock.method(process.stderr, 'write', (text: string) => {
      err += text;
      return true;
    }),
  ];
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin')!;
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input)]), configurable: true });
  process.env = { ...env };
  process.exitCode = 0;
  try {
    await COMMANDS[name](args);
    return { code: process.exitCode, out, err };
  } finally {
    Object.defineProperty(process, 'stdin', stdin);
    Object.assign(process, before);
    for (const { mock } of written) mock.restore();
  }
}
