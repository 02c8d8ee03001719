import { deepStrictEqual } from 'node:assert';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmulator, listen } from 'lobby-rx/emulator';
import { spawnTs } from '../spawn-ts.js';
import { waitUntil } from '../wait-until.js';

const MAIN = join(import.meta.dirname, '../../examples/checkpoint.ts');

describe('examples/checkpoint.ts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'checkpoint-'));
  after(() => rmSync(folder, { recursive: true }));

  it('writes what changes, also while it is dead', async () => {
    const emulator = createEmulator();
    const { identity_id, token } = emulator.addIdentity();
    const server = await listen(emulator);
    const env = { LOBBY_RX_URL: server.url, LOBBY_RX_TOKEN: token };
    const start = () => spawnTs(MAIN, [], { env, script: `cd '${folder}' && exec "$@"` });
    const rename = (display_name: string) => emulator.updateProfile(identity_id, { display_name });
    /** A name may be there twice: the kill may come between the name and the checkpoint. */
    const names = () => {
      const file = join(folder, 'names.txt');
      const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
      return [...new Set(text.match(/(?<=^\S+ ).+$/gm))];
    };

    let program = start();
    await waitUntil(() => existsSync(join(folder, 'checkpoint.json')));
    rename('Ada');
    await waitUntil(() => names().length === 1);
    program.process.kill('SIGKILL');
    await program.exited;
    rename('Grace');
    program = start();
    await waitUntil(() => names().length === 2);
    deepStrictEqual(names(), ['Ada', 'Grace']);
    program.process.kill('SIGKILL');
    await program.exited;
    await server.close();
  }).timeout(30_000);
});
