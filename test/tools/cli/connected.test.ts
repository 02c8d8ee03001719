import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import type { Fault } from 'lobby-rx/emulator';
import { waitUntil } from '../../wait-until.js';
import { lobbyRx } from './lobby-rx.js';
import { useService } from './service.js';

describe('lobby-rx connected', () => {
  const service = useService();
  const connected = (input: string) =>
    lobbyRx(['connected'], { env: service.env(service.world.lobbyToken), input });

  it('confirms the token on standard input, once', async () => {
    const { world } = service;
    const { code, out, err } = await connected(`${world.playerToken}\n`).exited;
    deepStrictEqual([code, out, err], [0, 'OK\n', '']);
    const again = await connected(world.playerToken).exited;
    deepStrictEqual([again.code, again.out], [1, '']);
    match(again.err, /^lobby-rx: 400 MATCHMAKER_PLAYER_ALREADY_CONNECTED: .*\n$/);
    ok(!again.err.includes(world.playerToken));
  });

  it('succeeds although OK cannot be printed, because the player is connected', async () => {
    const { emulator, world, env } = service;
    // A standard output that is open for reading only.
    const script = 'exec "$@" 1< /dev/null';
    const run = lobbyRx(['connected'], { env: env(world.lobbyToken), input: world.playerToken, script });
    const { code, err } = await run.exited;
    strictEqual(emulator.playerState(world.playerToken), 'connected');
    deepStrictEqual([code, err], [0, 'lobby-rx: the player is connected, but OK cannot be printed: EBADF\n']);
  });

  it('confirms the first line as soon as it is there', async () => {
    const { world, env } = service;
    const run = lobbyRx(['connected'], {
      env: env(world.lobbyToken),
      input: `  ${world.playerToken}\r\n\n`,
      isOpen: true,
    });
    const { code, out, err } = await run.exited;
    deepStrictEqual([code, out, err], [0, 'OK\n', '']);
  });

  it('reads what PowerShell has written, with and without a mark of its encoding', async () => {
    const { emulator, world, env } = service;
    const utf16 = (text: string) => Buffer.from(`${text}\r\n`, 'utf16le');
    const spellings: readonly ((token: string) => Buffer)[] = [
      token => Buffer.from(`\ufeff${token}\r\n`),
      token => utf16(`\ufeff${token}`),
      token => utf16(token),
      token => utf16(`\ufeff${token}`).swap16(),
      token => utf16(token).swap16(),
    ];
    for (const spell of spellings) {
      const token = emulator.reservePlayer(world.lobbyId);
      const input = spell(token);
      const { code, err } = await lobbyRx(['connected'], { env: env(world.lobbyToken), input }).exited;
      deepStrictEqual([code, err, emulator.playerState(token)], [0, '', 'connected']);
    }
  });

  it('has an exit code for an unknown outcome, and one for a service that was not reached', async () => {
    const { emulator, world } = service;
    const faults: readonly Fault[] = [
      { kind: 'reset_before_headers' },
      { kind: 'html', status: 200 },
      { kind: 'html', status: 502 },
      { kind: 'close_in_body' },
      { kind: 'redirect' },
    ];
    for (const fault of faults) {
      emulator.fault(fault);
      const { code, out, err } = await connected(world.playerToken).exited;
      deepStrictEqual([code, out], [4, ''], `${fault.kind}: ${err}`);
      match(
        err,
        /^lobby-rx: the outcome is unknown, and the service may count the player as connected: .*\n$/,
      );
    }
    const url = { LOBBY_RX_MATCHMAKER_URL: 'http://127.0.0.1:1' };
    const env = { ...service.env(world.lobbyToken), ...url };
    strictEqual((await lobbyRx(['connected'], { env, input: 'any' }).exited).code, 3);
  });

  it('does not take the refusal of a request for that of the player token', async () => {
    const { emulator, world } = service;
    emulator.fault({ kind: 'rate_limited', wait: 4_200 });
    const limited = await connected(world.playerToken).exited;
    deepStrictEqual([limited.code, limited.out], [3, '']);
    match(limited.err, /^lobby-rx: the service limits the rate, try again in 5 s: 429 API_RATE_LIMIT: .*\n$/);
    for (const token of [world.identityToken, 'unknown']) {
      const env = service.env(token);
      const { code, err } = await lobbyRx(['connected'], { env, input: world.playerToken }).exited;
      strictEqual(code, 3, err);
      match(
        err,
        /^lobby-rx: LOBBY_RX_TOKEN was refused, not the player token; set it to the token of the lobby: sign in again: .* 40/,
      );
    }
    deepStrictEqual((await connected(world.playerToken).exited).code, 0);
  });

  it('says that the outcome is unknown if it is stopped before the answer', async () => {
    const { emulator } = service;
    emulator.fault({ kind: 'stall_before_headers' });
    const run = connected('any');
    await waitUntil(() => emulator.requests.length > 0);
    run.process.kill('SIGINT');
    const { code, err } = await run.exited;
    strictEqual(code, 130);
    match(err, /^lobby-rx: the outcome is unknown, .*\n$/);
  });

  it('asks for the token on a terminal', async () => {
    const { world, env } = service;
    const run = lobbyRx(['connected'], { env: env(world.lobbyToken), terminal: 'fake' });
    await run.prints('Player token: ');
    run.process.stdin!.write(`${world.playerToken}\r`);
    const { code, out } = await run.exited;
    deepStrictEqual([code, out], [0, 'Player token: \nOK\n']);
  });

  it('ends at Ctrl-C and Ctrl-D, although the terminal is raw', async () => {
    for (const [key, code] of [
      ['\u0003', 130],
      ['\u0004', 2],
    ] as const) {
      const run = lobbyRx(['connected'], { env: service.env(), terminal: 'fake' });
      await run.prints('Player token: ');
      run.process.stdin!.write(key);
      strictEqual((await run.exited).code, code);
    }
  });
});
