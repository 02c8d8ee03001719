import { deepStrictEqual, match, strictEqual } from 'node:assert';
import { createServer, type AddressInfo } from 'node:net';
import { lastValueFrom } from 'rxjs';
import { createClient } from 'lobby-rx';
import { lobbyRx } from './lobby-rx.js';

describe('lobby-rx emulate', () => {
  it('prints one line of JSON that a client can use, and closes cleanly on SIGTERM', async () => {
    const run = lobbyRx(['emulate', '--json', '--seed', '3']);
    await run.prints('\n');
    const world = JSON.parse(run.out()) as Record<string, string>;
    deepStrictEqual(Object.keys(world), [
      ...['url', 'groupUrl', 'matchmakerUrl', 'apiUrl', 'groupId', 'identityId'],
      ...['identityToken', 'lobbyToken', 'playerToken'],
    ]);
    const urls = {
      groupUrl: world.groupUrl!,
      matchmakerUrl: world.matchmakerUrl!,
      apiUrl: world.apiUrl!,
    };
    const player = createClient({ url: world.url!, token: world.identityToken! });
    const gate = createClient({ ...urls, token: world.lobbyToken! });
    const { members } = await lastValueFrom(player.group.getMembers({ group_id: world.groupId! }));
    strictEqual(members.length, 16);
    await lastValueFrom(gate.matchmaker.players.connected({ player_token: world.playerToken! }));
    // A pending watch must not keep the process alive.
    const watching = player.events.feed.all$.subscribe();
    run.process.kill('SIGTERM');
    const { code, out, err } = await run.exited;
    watching.unsubscribe();
    deepStrictEqual([code, out.split('\n').length, err], [0, 2, '']);
  });

  it('prints URLs, tokens and curl commands for people, and stops on SIGINT', async () => {
    const run = lobbyRx(['emulate', '--live']);
    await run.prints("/v1/players/connected'\n");
    run.process.kill('SIGINT');
    const { code, out } = await run.exited;
    strictEqual(code, 0);
    match(out, /with simulated activity/);
    strictEqual(out.match(/^ {2}curl /gm)?.length, 3);
  });

  it('reports in one line that a port is in use', async () => {
    const server = createServer();
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { code, out, err } = await lobbyRx(['emulate', '--port', String(port)]).exited;
    server.close();
    deepStrictEqual([code, out], [1, '']);
    strictEqual(err, `lobby-rx: port ${port} is already in use; choose another --port or omit it\n`);
  });

  it('reports in one line what is wrong with its arguments', async () => {
    for (const [args, message] of [
      [['emulate', '--port', 'x'], /^lobby-rx: --port must be a whole number from 0 to 65535; got 'x'\n$/],
      [
        ['emulate', '--every', '0'],
        /^lobby-rx: --every must be a whole number from 1 to 3600000; got '0'\n$/,
      ],
      [['emulate', '--prot', '1'], /^lobby-rx: Unknown option '--prot'.*\n$/],
      [['emulate', 'now'], /^lobby-rx: Unexpected argument 'now'.*\n$/],
      [['emulat'], /^lobby-rx: unknown command 'emulat'; see lobby-rx --help\n$/],
    ] as const) {
      const { code, err } = await lobbyRx(args).exited;
      strictEqual(code, 2);
      match(err, message);
    }
  });

  it('has help', async () => {
    const [all, one, none] = await Promise.all([
      lobbyRx(['--help']).exited,
      lobbyRx(['emulate', '--help']).exited,
      lobbyRx([]).exited,
    ]);
    deepStrictEqual([all.code, one.code, none.code], [0, 0, 2]);
    match(one.out, /--live .*\n/);
    match(all.out, /lobby-rx emulate/);
  });
});
