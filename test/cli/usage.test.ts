import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT } from '../../src/cli/run.js';
import { lobbyRx } from './lobby-rx.js';
import { useService } from './service.js';

const COMMANDS = ['members', 'watch', 'events', 'connected', 'emulate'];

describe('lobby-rx, called wrongly', () => {
  const service = useService();

  /** The exit code, and the only line on standard error. */
  const outcome = async (args: string[], change: Record<string, string> = {}, input = '') => {
    const env = { ...service.env(), ...change };
    const { code, out, err } = await lobbyRx(args, { env, input }).exited;
    strictEqual(out, '');
    strictEqual(err.split('\n').length, 2, err);
    return `${code} ${err.trimEnd().replace('lobby-rx: ', '')}`;
  };

  it('names what is wrong in one line, and sends nothing', async () => {
    const { folder, emulator } = service;
    const file = join(folder, 'bad');
    await writeFile(file, '{');
    const cases: readonly [Promise<string>, RegExp][] = [
      [outcome(['members']), /^2 the group is missing: pass its id$/],
      [outcome(['members', 'a', 'b']), /^2 only one group can be given; got 2$/],
      [
        outcome(['members', 'a', '--count', '0']),
        /^2 --count must be a whole number of at least 1; got '0'$/,
      ],
      [
        outcome(['members', 'a', '--count', 'x']),
        /^2 --count must be a whole number of at least 1; got 'x'$/,
      ],
      [
        outcome(['watch', 'a', '--count', '-1']),
        /^2 --count must be a whole number of at least 1; got '-1'$/,
      ],
      [outcome(['members', 'a', '--colour']), /^2 unknown option '--colour'; see lobby-rx members --help$/],
      [
        outcome(['members', 'a', '--url']),
        /^2 option '--url <value>' argument missing; see lobby-rx members --help$/,
      ],
      [outcome(['members', 'a', '--json=1']), /^2 option '--json' does not take an argument; see lobby-rx /],
      [
        outcome(['members', 'a'], { LOBBY_GROUP_URL: '' }),
        /^2 the URL of the service is missing: set LOBBY_URL or LOBBY_GROUP_URL, or pass --url$/,
      ],
      [
        outcome(['members', 'a'], { LOBBY_GROUP_URL: 'localhost' }),
        /^2 LOBBY_GROUP_URL must be an absolute URL/,
      ],
      [outcome(['members', 'a', '--url', 'ftp://a']), /^2 --url must be an http: or https: URL; got ftp:$/],
      [
        outcome(['members', 'a'], { LOBBY_GROUP_URL: '', LOBBY_URL: 'http://a.example' }),
        /^2 LOBBY_URL must be an https: URL, .* \(--insecure allows it\); got http:\/\/a.example$/,
      ],
      [outcome(['events'], { LOBBY_TOKEN: '' }), /^2 the token is missing: set LOBBY_TOKEN$/],
      [outcome(['events'], { LOBBY_TOKEN: 'two words' }), /^2 LOBBY_TOKEN must be /],
      [outcome(['events', '--kind', 'x']), /^2 --kind must be one of identity_update, .*; got 'x'$/],
      [outcome(['events', '--from', '']), /^2 --from must be /],
      [outcome(['events', '--checkpoint', '']), /^2 --checkpoint must be the path of a file; got nothing$/],
      [outcome(['events', '--checkpoint', file]), /^2 .*bad does not contain a checkpoint/],
      [
        outcome(['events', '--checkpoint', file, '--from', '1']),
        /^2 use either --from or --checkpoint, not both$/,
      ],
      [outcome(['connected']), /^2 the player token is missing: pass it on standard input$/],
      [outcome(['members', '']), /^2 the group is missing: pass its id$/],
    ];
    for (const [output, pattern] of cases) match(await output, pattern);
    deepStrictEqual(emulator.requests, []);
  });

  it('does not quote what may be a token', async () => {
    const said = await outcome(['connected', 'player.s3cret']);
    strictEqual(said, '2 lobby-rx connected takes no arguments but its flags; see lobby-rx connected --help');
    strictEqual(await outcome(['player.s3cret']), '2 unknown command; see lobby-rx --help');
    const long = await outcome(['connected'], {}, 's3cret'.repeat(20_000));
    ok(!long.includes('s3cret'));
  });

  it('has exit codes for a refusal, and for a service that is not reached', async () => {
    const { world } = service;
    match(await outcome(['members', 'nowhere']), /^1 404 GROUP_NOT_FOUND/);
    match(await outcome(['watch', world.groupId], { LOBBY_TOKEN: 'x' }), /^1 401 CLAIMS_MISSING_ENTITLEMENT/);
    match(
      await outcome(['members', 'a', '--group-url', 'http://127.0.0.1:1']),
      /^3 the service cannot be reached: ECONNREFUSED/,
    );
  });
});

describe('The help of lobby-rx', () => {
  type Outcome = Awaited<ReturnType<typeof lobbyRx>['exited']>;
  let usage: Outcome;
  /** Of each command: what `--help` prints, and `help` before its name. */
  let helps: readonly (readonly [flag: Outcome, word: Outcome])[];
  before(async () => {
    const helpOf = (command: string) =>
      Promise.all([lobbyRx([command, '--help']).exited, lobbyRx(['help', command]).exited]);
    [usage, ...helps] = await Promise.all([lobbyRx(['--help']).exited, ...COMMANDS.map(helpOf)]);
  });

  it('is there for each command, in two ways', async () => {
    for (const [i, [flag, word]] of helps.entries()) {
      deepStrictEqual([flag.code, flag.err], [0, '']);
      match(flag.out, new RegExp(`^lobby-rx ${COMMANDS[i]}`));
      deepStrictEqual(word, flag);
    }
    const { code, err } = await lobbyRx(['help', 'member']).exited;
    deepStrictEqual([code, err], [2, 'lobby-rx: unknown command; see lobby-rx --help\n']);
  });

  it('fits into 80 columns', () => {
    const texts = [usage, ...helps.map(([flag]) => flag)].map(({ out }) => out);
    deepStrictEqual(
      texts.flatMap(text => text.split('\n').filter(line => line.length > 80)),
      [],
    );
  });

  it('names every exit code, as the docs do', async () => {
    const page = await readFile('docs/command-line.md', 'utf8');
    for (const code of Object.values(EXIT)) {
      match(usage.out, new RegExp(`^ .*\\b${code}\\b`, 'm'));
      match(page, new RegExp(`^\\| [^|]*\\b${code}\\b`, 'm'));
    }
  });
});
