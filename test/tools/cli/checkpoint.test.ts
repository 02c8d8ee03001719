import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { lstat, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitUntil } from '../../wait-until.js';
import { lobbyRx } from './lobby-rx.js';
import { useService } from './service.js';

/**
 * In ms. Shorter than any timer that a run which has failed might still wait for, and long even on
 * a busy machine.
 */
const AT_ONCE = 20_000;

interface Line {
  readonly identity: { readonly bio: string };
}

describe('lobby-rx events --checkpoint', () => {
  const service = useService();
  const events = (file: string, ...more: readonly string[]) =>
    lobbyRx(['events', '--checkpoint', file, ...more], { env: service.env() });
  const path = () => join(service.folder, 'checkpoint');

  it('resumes where it was, so that nothing is lost between two runs', async () => {
    const { emulator, world, hasPendingWatch } = service;
    const first = events(path(), '--kind', 'identity_update');
    await waitUntil(hasPendingWatch);
    emulator.updateProfile(world.identityId, { bio: 'one' });
    await first.prints('"bio":"one"');
    first.process.kill('SIGKILL');
    await first.exited;
    emulator.updateProfile(world.identityId, { bio: 'two' });
    emulator.publish(world.identityId, { chat_message: {} });
    // What a process leaves that is killed while it saves.
    await writeFile(`${path()}.0123456789ab.tmp`, '');
    await writeFile(`${path()}.mine.tmp`, '');

    // The lock of the killed process does not hold this one up.
    const second = events(path(), '--kind', 'identity_update');
    await second.prints('"bio":"two"');
    emulator.updateProfile(world.identityId, { bio: 'three' });
    await second.prints('"bio":"three"');
    second.process.kill('SIGTERM');
    const { code, out, err } = await second.exited;
    deepStrictEqual([code, err], [0, '']);
    const bios = out
      .trimEnd()
      .split('\n')
      .map(line => (JSON.parse(line) as Line).identity.bio);
    // If the process was killed between a line and its checkpoint, the line is printed again.
    deepStrictEqual(
      bios.filter(bio => bio !== 'one'),
      ['two', 'three'],
    );
    match(await readFile(path(), 'utf8'), /^\{"index":"\d+","at":\d+,"run":"[\da-f-]{36}"\}$/);
    deepStrictEqual((await readdir(service.folder)).sort(), ['checkpoint', 'checkpoint.mine.tmp']);
  });

  it('saves no checkpoint after a line that nobody has read', async () => {
    const { emulator, world, hasPendingWatch } = service;
    const first = events(path(), '--kind', 'unknown');
    await waitUntil(hasPendingWatch);
    emulator.publish(world.identityId, { tick: 1 });
    await first.prints('"tick"');
    await waitUntil(hasPendingWatch);
    first.process.stdout?.destroy();
    emulator.publish(world.identityId, { tick: 2 });
    strictEqual((await first.exited).code, 0);
    const second = events(path(), '--kind', 'unknown');
    await second.prints('"payload":2');
    second.process.kill('SIGTERM');
    await second.exited;
  });

  it('is refused before anything is sent if it cannot be written', async () => {
    const { folder, emulator } = service;
    await mkdir(join(folder, 'folder'));
    await symlink(join(folder, 'target'), join(folder, 'link'));
    await writeFile(join(folder, 'target'), '{"index":"1","at":1}');
    for (const [name, message] of [
      ['nowhere/checkpoint', /--checkpoint .*nowhere\/checkpoint cannot be written: ENOENT/],
      ['folder', /--checkpoint must be a regular file; .*folder is something else/],
      ['link', /--checkpoint must be a regular file; .*link is something else/],
    ] as const) {
      const { code, err } = await events(join(folder, name)).exited;
      strictEqual(code, 2);
      match(err, new RegExp(`^lobby-rx: ${message.source}.*\n$`));
    }
    deepStrictEqual(emulator.requests, []);
  });

  it('ends the run if it can no longer be written', async () => {
    const { emulator, world, folder, hasPendingWatch } = service;
    const run = events(path());
    await waitUntil(hasPendingWatch);
    await rm(folder, { recursive: true });
    emulator.publish(world.identityId, { tick: 1 });
    const { code, out, err } = await run.exited;
    deepStrictEqual([code, out.split('\n').length], [2, 2]);
    match(err, /^lobby-rx: --checkpoint .* cannot be written: ENOENT: .*\n$/);
  }).timeout(AT_ONCE);

  it('is a file that only its owner can read, and never follows a link', async () => {
    const { emulator, world, folder, hasPendingWatch } = service;
    const run = events(path());
    await waitUntil(hasPendingWatch);
    await rm(path());
    const victim = join(folder, 'victim');
    await writeFile(victim, 'precious');
    await symlink(victim, path());
    await symlink(victim, `${path()}.new`);
    emulator.publish(world.identityId, { tick: 1 });
    await run.prints('"tick"');
    await waitUntil(async () => (await lstat(path())).isFile());
    run.process.kill('SIGTERM');
    await run.exited;
    strictEqual(await readFile(victim, 'utf8'), 'precious');
    strictEqual((await stat(path())).mode & 0o777, 0o600);
  });

  it('is taken over by a later run: the earlier one ends at its next save, and nothing is lost', async () => {
    const { emulator, world, hasPendingWatch } = service;
    const first = events(path());
    await waitUntil(hasPendingWatch);
    emulator.publish(world.identityId, { tick: 1 });
    await first.prints('"payload":1');
    await waitUntil(async () => (await readFile(path(), 'utf8')).includes('"index"'));
    const before = await readFile(path(), 'utf8');
    const second = events(path());
    await waitUntil(() => emulator.requests.filter(({ pending }) => pending).length === 2);
    const runOf = (text: string) => (JSON.parse(text) as { run: string }).run;
    const after = await readFile(path(), 'utf8');
    ok(runOf(before) !== runOf(after), after);
    emulator.publish(world.identityId, { tick: 2 });
    const { code, err } = await first.exited;
    strictEqual(code, 2);
    strictEqual(err, `lobby-rx: another run has taken over --checkpoint ${path()}; this one ends\n`);
    await second.prints('"payload":2');
    emulator.publish(world.identityId, { tick: 3 });
    await second.prints('"payload":3');
    second.process.kill('SIGTERM');
    strictEqual((await second.exited).err, '');
    strictEqual(runOf(await readFile(path(), 'utf8')), runOf(after));
  });

  it('is taken over before anything has been saved, and although nothing is printed', async () => {
    const { emulator, world, hasPendingWatch } = service;
    const first = events(path(), '--kind', 'unknown');
    await waitUntil(hasPendingWatch);
    const second = events(path());
    await waitUntil(() => emulator.requests.filter(({ pending }) => pending).length === 2);
    emulator.updateProfile(world.identityId, { bio: 'one' });
    const { code, out, err } = await first.exited;
    deepStrictEqual([code, out], [2, '']);
    match(err, /another run has taken over/);
    second.process.kill('SIGTERM');
    await second.exited;
  });

  it('is refused if the file has something else in it', async () => {
    for (const text of [
      '',
      '{}',
      '[]',
      'null',
      '{"run":1}',
      '{"index":"1"}',
      '{"index":7,"at":1,"run":"a"}',
    ]) {
      await writeFile(path(), text);
      const { code, err } = await events(path()).exited;
      strictEqual(code, 2);
      match(err, /^lobby-rx: .*checkpoint does not contain a checkpoint; pass another --checkpoint .*\n$/);
      strictEqual(await readFile(path(), 'utf8'), text);
    }
  });

  it('leaves no file behind that it could not write, as on a full disk', async () => {
    // Otherwise, `npm run coverage` would write a file, too.
    const script = 'ulimit -f 0; unset NODE_V8_COVERAGE; exec "$@"';
    const { code, err } = await lobbyRx(['events', '--checkpoint', path()], { env: service.env(), script })
      .exited;
    strictEqual(code, 2);
    match(err, /^lobby-rx: --checkpoint .* cannot be written: EFBIG: .*\n$/);
    deepStrictEqual(await readdir(service.folder), []);
  });
});
