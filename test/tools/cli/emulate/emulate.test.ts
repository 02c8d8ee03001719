import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { request } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { lastValueFrom } from 'rxjs';
import { createClient, lobbyAddress } from 'lobby-rx';
import { called } from '../called.js';
import { lobbyRx } from '../lobby-rx.js';

describe('lobby-rx emulate', () => {
  it('prints one line of JSON that a client can use, and closes cleanly on SIGTERM', async () => {
    const run = lobbyRx(['emulate', '--json', '--seed', '3']);
    await run.prints('\n');
    const world = JSON.parse(run.out()) as Record<string, string>;
    deepStrictEqual(Object.keys(world), [
      'url',
      'groupUrl',
      'matchmakerUrl',
      'apiUrl',
      'groupId',
      'identityId',
      'identityToken',
      'lobbyId',
      'lobbyToken',
      'playerToken',
      'controlUrl',
      'controlSecret',
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
    const run = lobbyRx(['emulate', '--simulate']);
    await run.prints('$CONTROL_URL/presence"\n');
    run.process.kill('SIGINT');
    const { code, out } = await run.exited;
    strictEqual(code, 0);
    match(out, /with simulated activity/);
    strictEqual(out.match(/^ {2}curl /gm)?.length, 4);
    match(out, /^ {2}export CONTROL_URL=http:\/\/127\.0\.0\.1:\d+\/_emulator CONTROL_SECRET=\S{32,}$/m);
  });

  it('is what a program waits for that starts it, and says what it is', async () => {
    const run = lobbyRx(['emulate', '--json']);
    await run.prints('\n');
    const { url } = JSON.parse(run.out()) as { url: string };
    for (const method of ['GET', 'HEAD']) {
      const answer = await fetch(url, { method });
      const text = await answer.text();
      deepStrictEqual([answer.status, text.includes('emulates a Lobby')], [200, method === 'GET']);
    }
    run.process.kill('SIGTERM');
    await run.exited;
  });

  it('is reached at another address, by whom it is to be, and says so', async () => {
    const run = lobbyRx(['emulate', '--host', '0.0.0.0', '--allow-host', '127.0.0.2:1,127.0.0.3:2']);
    await run.prints('$CONTROL_URL/presence"\n');
    const [, port = '', secret = ''] =
      /127\.0\.0\.1:(\d+)\/_emulator CONTROL_SECRET=(\S+)/.exec(run.out()) ?? [];
    match(run.out(), new RegExp(`Other machines reach it, too, at port ${port}`));
    strictEqual((await fetch(`http://127.0.0.2:${port}/`)).status, 200);
    const post = (host: string) =>
      new Promise<number | undefined>(resolve => {
        const headers = { host, authorization: `Bearer ${secret}` };
        const url = `http://127.0.0.2:${port}/_emulator/state`;
        request(url, { method: 'POST', headers }, answer => resolve(answer.resume().statusCode)).end();
      });
    deepStrictEqual([await post('127.0.0.3:2'), await post(`127.0.0.2:${port}`)], [200, 403]);
    run.process.kill('SIGTERM');
    strictEqual((await run.exited).code, 0);
    const { err } = await lobbyRx(['emulate', '--host', '203.0.113.1']).exited;
    strictEqual(err, 'lobby-rx: --host 203.0.113.1 is not an address of this machine (EADDRNOTAVAIL)\n');
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
      [
        ['emulate', '--host', 'a b'],
        /^lobby-rx: --host must be a name or an address, like 0\.0\.0\.0; got another text\n$/,
      ],
      [
        ['emulate', '--port', 'x'],
        /^lobby-rx: --port must be a whole number from 0 to 65535; got another text\n$/,
      ],
      [
        ['emulate', '--simulate', '--every', '0'],
        /^lobby-rx: --every must be a whole number from 1 to 3600000; got '0'\n$/,
      ],
      [
        ['emulate', '--prot', '1'],
        /^lobby-rx: unknown option '--prot' \(did you mean --port\?\); see lobby-rx emulate --help\n$/,
      ],
      [['emulate', 'now'], /^lobby-rx: lobby-rx emulate takes no arguments but its flags; .*\n$/],
      [['emulate', '--lobby', 'http://a'], /^lobby-rx: --lobby must be a ws: or wss: URL without a query/],
      [['emulate', '--lobby', 'ws://a/play?b=c'], /^lobby-rx: --lobby must be a ws: or wss: URL without a/],
      [
        ['emulate', '--lobby', 'ws://a:70000'],
        /^lobby-rx: --lobby must be a ws: or wss: URL without a query/,
      ],
    ] as const) {
      const { code, err } = await called(args);
      strictEqual(code, 2);
      match(err, message);
    }
    const { code, err } = await lobbyRx(['emulat']).exited;
    deepStrictEqual(
      [code, err],
      [2, "lobby-rx: unknown command 'emulat' (did you mean emulate?); see lobby-rx --help\n"],
    );
  });

  it('issues tokens that nobody can guess, and the same ones for the same seed', async () => {
    const tokens = async (...args: readonly string[]) => {
      const { out } = await lobbyRx(['emulate', '--json', '--exit-with-stdin', ...args]).exited;
      const { identityToken, lobbyToken, playerToken } = JSON.parse(out) as Record<string, string>;
      return [identityToken, lobbyToken, playerToken];
    };
    const [some, others, seeded, again] = await Promise.all([
      tokens(),
      tokens(),
      tokens('--seed', '3'),
      tokens('--seed', '3'),
    ]);
    strictEqual(new Set([...some, ...others, ...seeded]).size, 9);
    deepStrictEqual(again, seeded);
  });

  it('ends with its standard input, if asked to, and otherwise does not', async () => {
    const { code, err } = await lobbyRx(['emulate', '--exit-with-stdin'], { input: 'presence away\n' })
      .exited;
    deepStrictEqual([code, err], [0, '']);
    const run = lobbyRx(['emulate', '--json'], { input: 'presence away\n' });
    await run.prints('"the presence is away"');
    const { url } = JSON.parse(run.out().split('\n')[0]!) as { url: string };
    strictEqual((await fetch(url)).status, 200);
    run.process.kill();
    await run.exited;
  });

  it('carries out commands, and helps with unknown ones', async () => {
    const input = 'join Grace\njion\n\npresence\nmessage "Are you\u001b[2J there?"\nhelp\n';
    const { code, out, err } = await lobbyRx(['emulate', '--exit-with-stdin'], { input }).exited;
    strictEqual(code, 0);
    match(out, /^Grace has joined\n {2}identity_id +[\da-f-]+\n {2}token +identity\.\w+$/m);
    match(out, /^message TEXT \[WHO\] +a chat message/m);
    match(
      err,
      /^lobby-rx: command must be one of player, .*, help; got something else; type help for all commands\nlobby-rx: status must be given: presence STATUS \[WHO\]; got nothing; type .*\n$/,
    );
    ok(!out.includes('\u001b'));
  });

  it('sends players to a real lobby', async () => {
    const run = lobbyRx(['emulate', '--json', '--lobby', 'ws://127.0.0.1:8080'], { isOpen: true });
    await run.prints('\n');
    const { url, identityToken, lobbyUrl } = JSON.parse(run.out()) as Record<string, string>;
    strictEqual(lobbyUrl, 'ws://127.0.0.1:8080');
    const client = createClient({ url: url!, token: identityToken! });
    const { watch } = await lastValueFrom(client.events.watch());
    run.process.stdin!.write('lobby\nplayer\n');
    const { events } = await lastValueFrom(client.events.watch({ watch_index: watch.index }));
    const [event] = events;
    strictEqual(event?.kind === 'matchmaker_lobby_join' && lobbyAddress(event).url, lobbyUrl);
    await run.prints('"player_token":"player.');
    run.process.kill();
    await run.exited;
  });

  it('knows the path of a real lobby, which lobby joins cannot have', async () => {
    const run = lobbyRx(['emulate', '--json', '--lobby', 'ws://127.0.0.1:8080/play'], { isOpen: true });
    await run.prints('\n');
    const { url, identityToken, lobbyUrl } = JSON.parse(run.out()) as Record<string, string>;
    strictEqual(lobbyUrl, 'ws://127.0.0.1:8080/play');
    const client = createClient({ url: url!, token: identityToken! });
    const { watch } = await lastValueFrom(client.events.watch());
    run.process.stdin!.write('lobby\nplayer\n');
    const { events } = await lastValueFrom(client.events.watch({ watch_index: watch.index }));
    const [event] = events;
    strictEqual(
      event?.kind === 'matchmaker_lobby_join' && lobbyAddress(event).url,
      lobbyUrl.replace('/play', ''),
    );
    run.process.kill();
    await run.exited;

    const people = lobbyRx(['emulate', '--lobby', 'ws://127.0.0.1:8080/play', '--exit-with-stdin']);
    match((await people.exited).out, /lobby +ws:\/\/127.0.0.1:8080\/play {2}takes the player token/);
  });

  it('has help', async () => {
    const [all, one, none] = await Promise.all([
      lobbyRx(['--help']).exited,
      lobbyRx(['emulate', '--help']).exited,
      lobbyRx([]).exited,
    ]);
    deepStrictEqual([all.code, one.code, none.code], [0, 0, 2]);
    match(one.out, /--simulate .*\n/);
    match(all.out, /lobby-rx emulate/);
  });
});
