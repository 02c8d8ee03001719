import { deepStrictEqual } from 'node:assert';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A program that uses a client of the emulator and then closes the emulator; nothing else may hold its process. */
const program = (use: string) => `
  import { createClient } from 'lobby-rx';
  import { createEmulator, listen } from 'lobby-rx/emulator';
  const emulator = createEmulator();
  const { token } = emulator.addIdentity();
  const server = await listen(emulator);
  const client = createClient({ ...server.urls, token, linger: 0 });
  const settled = async condition => { while (!condition()) await new Promise(setImmediate); };
  ${use}
  await server.close();
  console.log('done');
`;

describe('a process', () => {
  const outcome = async (use: string) => {
    const { stdout } = await run(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', program(use)],
      {
        timeout: 10_000,
      },
    );
    return stdout.trim();
  };

  it('ends by itself when a hanging watch has been unsubscribed from', async () => {
    const use = `
      const watching = client.events.feed.all$.subscribe();
      await settled(() => emulator.requests.some(({ pending }) => pending));
      watching.unsubscribe();
      await settled(() => emulator.requests.every(({ pending }) => !pending));`;
    deepStrictEqual(await outcome(use), 'done');
  });

  it('ends by itself with idle sockets kept', async () => {
    const use = `
      await new Promise(resolve => client.events.watch().subscribe({ complete: resolve }));
      await new Promise(resolve => client.events.watch().subscribe({ complete: resolve }));`;
    deepStrictEqual(await outcome(use), 'done');
  });
});
