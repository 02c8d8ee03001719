import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createEmulator,
  listen,
  seedWorld,
  type Emulator,
  type EmulatorServer,
  type SeededWorld,
} from 'lobby-rx/emulator';
import { waitUntil } from '../wait-until.js';
import { lobbyRx } from './lobby-rx.js';

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
  let emulator: Emulator;
  let world: SeededWorld;
  let server: EmulatorServer;
  let folder: string;
  beforeEach(async () => {
    emulator = createEmulator({ collectTime: 0 });
    world = seedWorld(emulator, { members: 40 });
    server = await listen(emulator);
    folder = await mkdtemp(join(tmpdir(), 'lobby-rx-cli-'));
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  const env = (token = world.identityToken) => ({
    ...{ LOBBY_GROUP_URL: server.urls.groupUrl, LOBBY_MATCHMAKER_URL: server.urls.matchmakerUrl },
    ...{ LOBBY_API_URL: server.urls.apiUrl, LOBBY_TOKEN: token },
  });
  const hasPendingWatch = () =>
    emulator.requests.some(({ pending, url }) => pending && url.includes('watch_index'));

  it('members lists a group as JSON, one member per line', async () => {
    const { code, out, err } = await lobbyRx(['members', world.groupId, '--count', '7'], { env: env() })
      .exited;
    deepStrictEqual([code, err, linesOf(out).length], [0, '', 40]);
  });

  it('members prints a table and a running count on a terminal', async () => {
    const { code, out } = await lobbyRx(['members', world.groupId], { env: env(), isTty: true }).exited;
    const lines = out.split(/\r?\n/);
    strictEqual(code, 0);
    // A terminal shows only what was written last on a line.
    for (const line of lines.slice(0, 40)) match(line.split('\r').at(-1)!, /^.+#\d+ +(\w+|-) +[\w-]+$/);
    ok(lines[20]!.startsWith('20 members\r'), lines[20]);
    strictEqual(lines[40]!.split('\r').at(-1), '40 members');
  });

  it('watch prints rows on a terminal, until Ctrl-C is pressed', async () => {
    const run = lobbyRx(['watch', world.groupId], { env: env(), isTty: true });
    await waitUntil(hasPendingWatch);
    const { identity_id } = emulator.addIdentity({ display_name: 'Ada \u001b[31m', account_number: 7 });
    emulator.join(world.groupId, identity_id);
    await run.prints('+ Ada  [31m#7');
    emulator.leave(world.groupId, identity_id);
    await run.prints('- Ada  [31m#7');
    run.process.stdin!.write('\u0003');
    const { code, out } = await run.exited;
    deepStrictEqual([code, out.match(/^\+ /gm)?.length, out.includes('{')], [0, 41, false]);
  });

  it('watch prints who joins, who leaves and who changes, until it is stopped', async () => {
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

  it('events resumes from its checkpoint, so that nothing is lost between two runs', async () => {
    const file = join(folder, 'checkpoint');
    const args = ['events', '--checkpoint', file, '--kind', 'identity_update'];
    const first = lobbyRx(args, { env: env() });
    await waitUntil(hasPendingWatch);
    emulator.updateProfile(world.identityId, { bio: 'one' });
    await first.prints('"bio":"one"');
    first.process.kill('SIGKILL');
    await first.exited;
    emulator.updateProfile(world.identityId, { bio: 'two' });
    emulator.publish(world.identityId, { chat_message: {} });

    const second = lobbyRx(args, { env: env() });
    await second.prints('"bio":"two"');
    emulator.updateProfile(world.identityId, { bio: 'three' });
    await second.prints('"bio":"three"');
    second.process.kill('SIGTERM');
    const { code, out, err } = await second.exited;
    deepStrictEqual([code, err], [0, '']);
    const bios = linesOf(out).map(({ identity }) => identity.bio);
    // If the process was killed between a line and its checkpoint, the line is printed again.
    deepStrictEqual(
      bios.filter(bio => bio !== 'one'),
      ['two', 'three'],
    );
    match(await readFile(file, 'utf8'), /^\{"index":"\d+","at":\d+\}$/);
  });

  it('events stops silently when the reader of its output is gone', async () => {
    const run = lobbyRx(['events'], { env: env() });
    await waitUntil(hasPendingWatch);
    run.process.stdout?.destroy();
    const over = run.exited;
    for (let i = 0; i < 5; i++) emulator.publish(world.identityId, { tick: i });
    const { code, err } = await over;
    deepStrictEqual([code, err], [0, '']);
  });

  it('events saves no checkpoint after a line that nobody has read', async () => {
    const file = join(folder, 'unread');
    const args = ['events', '--checkpoint', file, '--kind', 'unknown'];
    const first = lobbyRx(args, { env: env() });
    await waitUntil(hasPendingWatch);
    emulator.publish(world.identityId, { tick: 1 });
    await first.prints('"tick"');
    await waitUntil(hasPendingWatch);
    first.process.stdout?.destroy();
    emulator.publish(world.identityId, { tick: 2 });
    strictEqual((await first.exited).code, 0);
    const second = lobbyRx(args, { env: env() });
    await second.prints('"payload":2');
    second.process.kill('SIGTERM');
    await second.exited;
  });

  it('connected confirms the token on standard input, once', async () => {
    const confirm = () =>
      lobbyRx(['connected'], { env: env(world.lobbyToken), input: `${world.playerToken}\n` }).exited;
    const { code, out, err } = await confirm();
    deepStrictEqual([code, out, err], [0, 'OK\n', '']);
    const again = await confirm();
    deepStrictEqual([again.code, again.out], [1, '']);
    match(again.err, /^lobby-rx: 400 MATCHMAKER_PLAYER_ALREADY_CONNECTED: .*\n$/);
    ok(!again.err.includes(world.playerToken));
  });

  it('reports an error in one line, with an exit code for its kind', async () => {
    const outcome = async (args: string[], change: Record<string, string> = {}, input = '') => {
      const { code, out, err } = await lobbyRx(args, { env: { ...env(), ...change }, input }).exited;
      strictEqual(out, '');
      strictEqual(err.split('\n').length, 2, err);
      return `${code} ${err.trimEnd().replace('lobby-rx: ', '')}`;
    };
    const file = join(folder, 'bad');
    await writeFile(file, '{');
    const cases: readonly [Promise<string>, RegExp][] = [
      [outcome(['members']), /^2 the group is missing: pass its id$/],
      [outcome(['members', 'a', 'b']), /^2 only one group can be given; got 2$/],
      [outcome(['members', 'a', '--count', '0']), /^2 count must be a positive integer; got 0$/],
      [outcome(['members', 'a', '--colour']), /^2 Unknown option '--colour'/],
      [
        outcome(['members', 'a'], { LOBBY_GROUP_URL: '' }),
        /^2 the URL of the service is missing: set LOBBY_URL or LOBBY_GROUP_URL, or pass --url$/,
      ],
      [outcome(['events'], { LOBBY_TOKEN: '' }), /^2 the token is missing: set LOBBY_TOKEN$/],
      [outcome(['events', '--kind', 'x']), /^2 --kind must be one of identity_update, .*; got 'x'$/],
      [outcome(['events', '--checkpoint', file]), /^2 .*bad does not contain a checkpoint/],
      [
        outcome(['events', '--checkpoint', file, '--from', '1']),
        /^2 use either --from or --checkpoint, not both$/,
      ],
      [outcome(['connected']), /^2 player_token must be a non-empty string; got an empty string$/],
      [outcome(['members', 'nowhere']), /^1 404 GROUP_NOT_FOUND/],
      [outcome(['watch', world.groupId], { LOBBY_TOKEN: 'x' }), /^1 401 CLAIMS_MISSING_ENTITLEMENT/],
      [
        outcome(['members', 'a', '--group-url', 'http://127.0.0.1:1']),
        /^3 the service cannot be reached: ECONNREFUSED/,
      ],
    ];
    for (const [output, pattern] of cases) match(await output, pattern);
  });

  it('exits with the code of the signal if it is stopped before it is done', async () => {
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

  it('has help for each command', async () => {
    const commands = ['members', 'watch', 'events', 'connected'];
    const helps = await Promise.all(commands.map(command => lobbyRx([command, '--help']).exited));
    for (const [i, { code, out }] of helps.entries()) {
      strictEqual(code, 0);
      match(out, new RegExp(`^lobby-rx ${commands[i]}`));
    }
  });
});
