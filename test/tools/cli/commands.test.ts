import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { readFile } from 'node:fs/promises';
import { waitUntil } from '../../wait-until.js';
import { lobbyRx } from './lobby-rx.js';
import { useService } from './service.js';

interface Line {
  readonly change: string;
  readonly member: { readonly identity: { readonly identity_id: string } };
  readonly kind: string;
  readonly identity: { readonly bio: string };
}

const linesOf = (out: string) =>
  out
    .trimEnd()
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as Line);

describe('lobby-rx', () => {
  const service = useService();

  it('members lists a group as JSON, one member per line', async () => {
    const { world, env } = service;
    const { code, out, err } = await lobbyRx(['members', world.groupId, '--count', '7'], { env: env() })
      .exited;
    deepStrictEqual([code, err, linesOf(out).length], [0, '', 40]);
  });

  it('members and watch say on standard error who cannot be read', async () => {
    const { emulator, world, env, hasPendingWatch } = service;
    const [, { members }] = emulator.save().groups[0]!;
    const identity_id = members[3]![0];
    const restore = emulator.fault({ kind: 'member_malformed', identity_id }, { times: Infinity });
    const text = `a member cannot be read, ${identity_id}: members[3].identity.display_name must be string; got null`;
    const { code, out, err } = await lobbyRx(['members', world.groupId], { env: env() }).exited;
    deepStrictEqual([code, linesOf(out).length], [0, 39]);
    ok(err.includes(text), err);
    const run = lobbyRx(['watch', world.groupId], { env: env() });
    await run.warns(text);
    await waitUntil(hasPendingWatch);
    restore();
    run.process.kill('SIGINT');
    strictEqual((await run.exited).code, 0);
  });

  it('members prints a table and a running count on a terminal', async () => {
    const { world, env } = service;
    const { code, out } = await lobbyRx(['members', world.groupId], { env: env(), terminal: 'fake' }).exited;
    const lines = out.split(/\r?\n/);
    strictEqual(code, 0);
    // A terminal shows only what was written last on a line.
    for (const line of lines.slice(0, 40)) match(line.split('\r').at(-1)!, /^.+#\d+ +(\w+|-) +[\w-]+$/);
    ok(lines[1]!.startsWith('1 member\r'), lines[1]);
    ok(lines[20]!.startsWith('20 members\r'), lines[20]);
    strictEqual(lines[40]!.split('\r').at(-1), '40 members');
  });

  it('watch prints rows on a terminal, without control characters', async () => {
    const { emulator, world, env, hasPendingWatch } = service;
    const run = lobbyRx(['watch', world.groupId], { env: env(), terminal: 'fake' });
    await waitUntil(hasPendingWatch);
    const { identity_id } = emulator.addIdentity({ display_name: 'Ada \u001b[31m', account_number: 7 });
    emulator.join(world.groupId, identity_id);
    await run.prints('+ Ada  [31m#7');
    emulator.leave(world.groupId, identity_id);
    await run.prints('- Ada  [31m#7');
    run.process.kill('SIGINT');
    const { code, out } = await run.exited;
    deepStrictEqual([code, out.match(/^\+ /gm)?.length, out.includes('{')], [0, 41, false]);
  });

  it('watch prints who joins, who leaves and who changes, until it is stopped', async () => {
    const { emulator, world, env, hasPendingWatch } = service;
    const run = lobbyRx(['watch', world.groupId], { env: env() });
    await waitUntil(hasPendingWatch);
    const { identity_id } = emulator.addIdentity();
    emulator.join(world.groupId, identity_id);
    await run.prints(`{"change":"joined","member":{"identity":{"identity_id":"${identity_id}"`);
    emulator.updatePresence(identity_id, { status: 'away' });
    await run.prints('{"change":"updated"');
    emulator.leave(world.groupId, identity_id);
    await run.prints('{"change":"left"');
    run.process.kill('SIGINT');
    const { code, out, err } = await run.exited;
    deepStrictEqual([code, err], [0, '']);
    const later = linesOf(out).slice(40);
    deepStrictEqual(
      later.map(({ change, member }) => [change, member.identity.identity_id]),
      [
        ['joined', identity_id],
        ['updated', identity_id],
        ['left', identity_id],
      ],
    );
  });

  it('events stops silently when the reader of its output is gone', async () => {
    const { emulator, world, env, hasPendingWatch } = service;
    const run = lobbyRx(['events'], { env: env() });
    await waitUntil(hasPendingWatch);
    run.process.stdout?.destroy();
    const over = run.exited;
    for (let i = 0; i < 5; i++) emulator.publish(world.identityId, { tick: i });
    const { code, err } = await over;
    deepStrictEqual([code, err], [0, '']);
  });

  it('exits with the code of the signal if it is stopped before it is done', async () => {
    const { emulator, world, env } = service;
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      for (const args of [['members', world.groupId], ['connected']]) {
        const before = emulator.requests.length;
        emulator.fault({ kind: 'stall_before_headers' });
        const run = lobbyRx(args, { env: env(), input: 'any' });
        await waitUntil(() => emulator.requests.length > before);
        run.process.kill(signal);
        strictEqual((await run.exited).code, code);
      }
    }
  });

  it('prints its version', async () => {
    const manifest = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    const { code, out } = await lobbyRx(['--version']).exited;
    deepStrictEqual([code, out], [0, `${manifest.version}\n`]);
  });
});
