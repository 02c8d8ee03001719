import { match, ok, strictEqual } from 'node:assert';
import { spawn } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundled } from '../../bundled.js';
import { recipe } from '../../consumers/recipe.js';
import { openGate } from '../../integrations/lobby-server/gate.js';
import { waitUntil } from '../../wait-until.js';
import { lobbyRx } from './lobby-rx.js';
import { useService } from './service.js';

const MAIN = join(import.meta.dirname, '../../../src/tools/cli/main.ts');

/** The lines of a block that are commands of `lobby-rx`, without their comments. */
const commandsIn = (block: string) =>
  block
    .split('\n')
    .map(line => line.replace(/#.*$/, '').trim())
    .filter(line => /^(?:npx )?lobby-rx /.test(line));

describe('The commands that people copy', () => {
  const service = useService();

  /** Programs for a shell: `lobby-rx` and `npx` are those of this clone, and `jq` passes all on. */
  const programs = async (): Promise<string> => {
    const { folder } = service;
    for (const [name, script] of [
      ['lobby-rx', `exec "${process.execPath}" "${bundled(MAIN)}" "$@"`],
      ['npx', 'shift; exec lobby-rx "$@"'],
      ['jq', 'exec cat'],
    ] as const) {
      const file = join(folder, name);
      await writeFile(file, `#!/bin/sh\n${script}\n`);
      await chmod(file, 0o755);
    }
    return folder;
  };

  /** Runs a text in a shell. `stop` ends all of it, as Ctrl-C does. */
  const inShell = async (text: string, env: Record<string, string>) => {
    const folder = await programs();
    const child = spawn('sh', ['-c', text], {
      cwd: folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...service.env(), PATH: `${folder}:${process.env.PATH}`, ...env },
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (data: Buffer) => {
      out += data.toString();
    });
    child.stderr.on('data', (data: Buffer) => {
      err += data.toString();
    });
    const exited = new Promise<{ out: string; err: string; code: number | null }>(resolve => {
      child.on('close', code => resolve({ out, err, code }));
    });
    return { exited, stop: () => process.kill(-child.pid!, 'SIGINT'), out: () => out };
  };

  it('follow what they name, as the page about the command line shows them', async () => {
    const commands = commandsIn(recipe('docs/command-line.md', 'lobby-rx connected'));
    strictEqual(commands.length, 8);
    const env = { LOBBY_RX_GROUP: service.world.groupId };
    for (const command of commands.filter(line => / (?:members|watch|events)\b/.test(line))) {
      const run = await inShell(command, env);
      if (!command.includes(' members ')) {
        await waitUntil(service.hasPendingWatch);
        run.stop();
      }
      const { out, err } = await run.exited;
      strictEqual(err, '', command);
      if (!command.includes(' events')) strictEqual(out.trimEnd().split('\n').length, 40, command);
      await waitUntil(() => !service.hasPendingWatch());
    }
  });

  it('look for faults, as the page about debugging shows them', async () => {
    const { world, server } = service;
    const [command] = commandsIn(recipe('docs/debugging.md', 'doctor --origin'));
    const text = command!.replace(/\bGROUP\b/, world.groupId);
    const run = await inShell(text, { LOBBY_RX_URL: server.url });
    await waitUntil(() => /"check":"(?:clocks|members)"/.test(run.out()));
    run.stop();
    const { out } = await run.exited;
    match(out, /"check":"service","level":"ok"/);
    match(
      out,
      /"check":"cors","level":"(?:ok|warning)","text":"pages of https:\/\/game\.example are allowed/,
    );
  });

  it('look at the way to a lobby, as the page about debugging shows them', async () => {
    const gate = await openGate();
    const text = recipe('docs/debugging.md', 'doctor --lobby').replace(
      'wss://lobby.example/play',
      `ws://127.0.0.1:${gate.port}/play`,
    );
    const { out, err } = await (await inShell(text, {})).exited;
    await gate.close();
    strictEqual(err, '');
    match(out, /"check":"gate","level":"ok","text":"is here/);
  });

  it('control an emulator, as its page shows them', async () => {
    const emulator = lobbyRx(['emulate', '--json', '--port', '0', '--exit-with-stdin'], { isOpen: true });
    await emulator.prints('controlSecret');
    const { controlUrl, controlSecret } = JSON.parse(emulator.out().split('\n')[0]!) as Record<
      string,
      string
    >;
    const run = await inShell(recipe('docs/emulator.md', 'control() {'), {
      CONTROL_URL: controlUrl!,
      CONTROL_SECRET: controlSecret!,
    });
    const { out, code } = await run.exited;
    emulator.process.stdin!.end();
    await emulator.exited;
    strictEqual(code, 0);
    match(out, /"player_token":"player\./);
    ok((out.match(/"message":/g) ?? []).length >= 4, out);
  });
});
