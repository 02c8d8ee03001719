import { deepStrictEqual, match, ok, strictEqual, throws } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { lockCheckpoint } from '../../../src/tools/cli/checkpoint/checkpoint-lock.js';
import { spawnTs, type RunningProgram } from '../../spawn-ts.js';
import { waitUntil } from '../../wait-until.js';
import { lobbyRx } from './lobby-rx.js';
import { useService } from './service.js';

const RACER = join(import.meta.dirname, 'lock-racer.ts');

/**
 * In ms. Shorter than any timer that a run which has failed might still wait for, and long even on
 * a busy machine.
 */
const AT_ONCE = 20_000;

/** What the lock of a process of this host contains. */
const markOf = ({ process }: RunningProgram, nth = 1) => `${hostname()} ${process.pid} 12345 ${nth}`;

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
    match(
      err,
      new RegExp(
        `^lobby-rx: --checkpoint .* is in use by process ${first.process.pid} of ${hostname()}; .*\n$`,
      ),
    );
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
    match(err, / is in use by another process; .* 60 s ago, if it runs on another host\n$/);
    // The number of the third one belongs to another program now.
    for (const mark of [
      markOf(dead),
      `${hostname()} ${dead.process.pid} - 1`,
      `${hostname()} ${process.pid} 1 1`,
    ]) {
      await writeFile(lock, mark);
      const run = events(path());
      await waitUntil(service.hasPendingWatch);
      run.process.kill('SIGTERM');
      deepStrictEqual(await run.exited, { code: 0, out: '', err: '' });
    }
  });

  it('is taken over from another host when that has not touched the lock for a minute', async () => {
    const lock = `${path()}.lock`;
    await writeFile(lock, 'elsewhere 1 1 1');
    const racer = () => spawnTs(RACER, [], { input: `${JSON.stringify([0, path()])}\n` });
    match((await racer().exited).out, / is in use by process 1 of elsewhere; /);
    const past = (seconds: number) => new Date(Date.now() - seconds * 1_000);
    await utimes(lock, past(0), past(30));
    match((await racer().exited).out, / is in use by process 1 of elsewhere; /);
    await utimes(lock, past(0), past(61));
    strictEqual((await racer().exited).out, 'locked\n');
    deepStrictEqual(await readdir(service.folder), []);
  });

  it('has a lock that is touched every 15 s, unless another process has taken it over', async () => {
    const lock = `${path()}.lock`;
    const timers: (readonly [() => void, number | undefined])[] = [];
    const { setInterval } = globalThis;
    globalThis.setInterval = ((work: () => void, time?: number) => {
      timers.push([work, time]);
      return setInterval(() => undefined, 1).unref();
    }) as typeof setInterval;
    const held = (() => {
      try {
        return lockCheckpoint(path());
      } finally {
        globalThis.setInterval = setInterval;
      }
    })();
    strictEqual(timers[0]![1], 15_000);
    await utimes(lock, 0, 0);
    timers[0]![0]();
    ok((await stat(lock)).mtimeMs > Date.now() - 3_600_000);
    held.check();
    await writeFile(`${lock}.new`, 'elsewhere 1 1 1');
    await rename(`${lock}.new`, lock);
    timers[0]![0]();
    strictEqual(await readFile(lock, 'utf8'), 'elsewhere 1 1 1');
    throws(() => held.check(), /another process has taken over/);
    await rm(lock);
  });

  it('is taken over by one of several processes that try at the same moment', async () => {
    const dead = lobbyRx(['--version']);
    await dead.exited;
    const racers = Array.from({ length: 3 }, () => spawnTs(RACER, [], { isOpen: true }));
    try {
      for (let round = 1; round <= 60; round++) {
        const contested = `${path()}-${round}`;
        await writeFile(`${contested}.lock`, markOf(dead, round));
        const start = JSON.stringify([Date.now() + 4, contested]);
        for (const { process } of racers) process.stdin!.write(`${start}\n`);
        await waitUntil(() => racers.every(({ out }) => out().split('\n').length > round));
        const outcomes = racers.map(({ out }) => out().split('\n')[round - 1]!);
        strictEqual(outcomes.filter(text => text === 'locked').length, 1, outcomes.join('\n'));
        for (const other of outcomes.filter(text => text !== 'locked'))
          match(other, /^--checkpoint .* is in use by (process \d+ of \S+|another process); /);
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
    const mark = markOf(dead);
    const claim = `${path()}.${createHash('sha256').update(mark).digest('hex').slice(0, 12)}.tmp`;
    await writeFile(`${path()}.lock`, mark);
    await writeFile(claim, `${hostname()} ${process.pid} - 2`);
    match((await racer().exited).out, / is in use by /);
    await writeFile(claim, markOf(dead, 2));
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
    await writeFile(`${path()}.new`, '1 another');
    await rename(`${path()}.new`, `${path()}.lock`);
    emulator.publish(world.identityId, { tick: 1 });
    const { code, err } = await run.exited;
    strictEqual(code, 2);
    match(err, /another process has taken over/);
    strictEqual(await readFile(`${path()}.lock`, 'utf8'), '1 another');
    await rm(`${path()}.lock`);
  });
});
