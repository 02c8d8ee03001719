import { strictEqual } from 'node:assert';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundled } from '../bundled.js';

const run = promisify(execFile);

describe('a process', () => {
  const outcome = async (use: 'watch' | 'queue' | 'wait' | 'requests') => {
    const program = bundled(join(import.meta.dirname, 'exit-program.ts'));
    // A program that does not exit by itself is killed, and fails the test.
    const { stdout } = await run(process.execPath, [program, use], { timeout: 30_000 });
    return stdout.trim();
  };

  it('exits by itself after unsubscribing from a hanging watch', async () => {
    strictEqual(await outcome('watch'), 'done');
  });

  it('exits by itself while a feed holds events for its next subscriber', async () => {
    strictEqual(await outcome('queue'), 'done');
  });

  it('exits by itself after unsubscribing from a feed that waits for the service to be up again', async () => {
    strictEqual(await outcome('wait'), 'done');
  });

  it('exits by itself while idle sockets are kept', async () => {
    strictEqual(await outcome('requests'), 'done');
  });
});
