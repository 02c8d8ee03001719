import { deepStrictEqual, match, strictEqual } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawnTs } from '../../spawn-ts.js';
import { waitUntil } from '../../wait-until.js';
import { lobbyRx } from './lobby-rx.js';
import { useService } from './service.js';

const RACER = join(import.meta.dirname, 'lock-racer.ts');

/** In ms. Shorter than any timer that a run which has failed might still wait for, and long even on a busy machine. */
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
    match(await readFile(path(), 'utf8'), /^\{"index":"\d+","at":\d+\}$/);
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
    strictEqual(err, `lobby-rx: --checkpoint ${path()} cannot be written: ${folder} is gone\n`);
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

  it('is used by one process at a time', async () => {
    const { hasPendingWatch } = service;
    const first = events(path());
    await waitUntil(hasPendingWatch);
    const { code, err } = await events(path()).exited;
    strictEqual(code, 2);
    match(err, new RegExp(`^lobby-rx: --checkpoint .* is in use by process ${first.process.pid}; .*\n$`));
    first.process.kill('SIGTERM');
    strictEqual((await first.exited).code, 0);
    const next = events(path());
    await waitUntil(hasPendingWatch);
    next.process.kill('SIGTERM');
    strictEqual((await next.exited).err, '');
  });

  it('refuses a lock that is a pipe, whose reading would never end', async () => {
    execFileSync('mkfifo', [`${path()}.lock`]);
    const { code, err } = await events(path()).exited;
    strictEqual(code, 2);
    match(err, /^lobby-rx: --checkpoint needs .*\.lock for itself, which is not a regular file; .*\n$/);
    await rm(`${path()}.lock`);
  });

  it('is taken over at once from a process that is dead, but not from another program', async () => {
    const dead = lobbyRx(['--version']);
    await dead.exited;
    const lock = `${path()}.lock`;
    await writeFile(lock, 'not by lobby-rx');
    const { code, err } = await events(path()).exited;
    strictEqual(code, 2);
    match(err, / is in use by another process; .* or delete .*\.lock if there is none\n$/);
    await writeFile(lock, `${dead.process.pid} 1`);
    const run = events(path());
    await waitUntil(service.hasPendingWatch);
    run.process.kill('SIGTERM');
    deepStrictEqual(await run.exited, { code: 0, out: '', err: '' });
  });

  it('is taken over by one of several processes that try at the same moment', async () => {
    const dead = lobbyRx(['--version']);
    await dead.exited;
    const racers = Array.from({ length: 3 }, () => spawnTs(RACER, [], { isOpen: true }));
    try {
      for (let round = 1; round <= 60; round++) {
        const contested = `${path()}-${round}`;
        await writeFile(`${contested}.lock`, `${dead.process.pid} ${round}`);
        const start = JSON.stringify([Date.now() + 4, contested]);
        for (const { process } of racers) process.stdin!.write(`${start}\n`);
        await waitUntil(() => racers.every(({ out }) => out().split('\n').length > round));
        const outcomes = racers.map(({ out }) => out().split('\n')[round - 1]!);
        strictEqual(outcomes.filter(text => text === 'locked').length, 1, outcomes.join('\n'));
        for (const other of outcomes.filter(text => text !== 'locked'))
          match(other, /^--checkpoint .* is in use by (process \d+|another process); /);
      }
    } finally {
      for (const { process } of racers) process.stdin!.end();
    }
    await Promise.all(racers.map(({ exited }) => exited));
    deepStrictEqual(await readdir(service.folder), []);
  });

  it('is taken over although a process was killed while it did that', async () => {
    const dead = lobbyRx(['--version']);
    await dead.exited;
    const racer = () => spawnTs(RACER, [], { input: `${JSON.stringify([0, path()])}\n` });
    const mark = `${dead.process.pid} 1`;
    const claim = `${path()}.${createHash('sha256').update(mark).digest('hex').slice(0, 12)}.tmp`;
    await writeFile(`${path()}.lock`, mark);
    await writeFile(claim, `${process.pid} 2`);
    match((await racer().exited).out, / is in use by /);
    await writeFile(claim, `${dead.process.pid} 2`);
    strictEqual((await racer().exited).out, 'locked\n');
  });

  it('leaves no lock behind that it could not write, as on a full disk', async () => {
    // Otherwise, `npm run coverage` would write a file, too.
    const script = 'ulimit -f 0; unset NODE_V8_COVERAGE; exec "$@"';
    const { code, err } = await lobbyRx(['events', '--checkpoint', path()], { env: service.env(), script })
      .exited;
    strictEqual(code, 2);
    match(err, /^lobby-rx: --checkpoint .* cannot be written: EFBIG: .*\n$/);
    deepStrictEqual(await readdir(service.folder), []);
  });

  it('ends the run when another process has the lock all the same', async () => {
    const { emulator, world, hasPendingWatch } = service;
    const run = events(path());
    await waitUntil(hasPendingWatch);
    await writeFile(`${path()}.lock`, '1 another');
    emulator.publish(world.identityId, { tick: 1 });
    const { code, err } = await run.exited;
    strictEqual(code, 2);
    match(err, /another process has taken over/);
    strictEqual(await readFile(`${path()}.lock`, 'utf8'), '1 another');
    await rm(`${path()}.lock`);
  });
});
