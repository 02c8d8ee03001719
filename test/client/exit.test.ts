import { strictEqual } from 'node:assert';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundled } from '../bundled.js';

const run = promisify(execFile);

describe('a process', () => {
  const outcome = async (use: 'watch' | 'requests') => {
    const program = bundled(join(import.meta.dirname, 'exit-program.ts'));
    // One that does not end by itself is killed, and fails the test.
    const { stdout } = await run(process.execPath, [program, use], { timeout: 30_000 });
    return stdout.trim();
  };

  it('ends by itself when a hanging watch has been unsubscribed from', async () => {
    strictEqual(await outcome('watch'), 'done');
  });

  it('ends by itself with idle sockets kept', async () => {
    strictEqual(await outcome('requests'), 'done');
  });
});
