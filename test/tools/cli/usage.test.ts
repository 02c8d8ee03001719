import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT } from '../../../src/tools/cli/exit-code.js';
import { called } from './called.js';
import { lobbyRx } from './lobby-rx.js';
import { useService } from './service.js';

const COMMANDS = ['members', 'watch', 'events', 'connected', 'doctor', 'emulate'] as const;

/** The URLs of parts of the service that a command uses. */
const USED_URLS = {
  members: ['--group-url'],
  watch: ['--group-url'],
  events: ['--api-url'],
  connected: ['--matchmaker-url'],
  doctor: ['--api-url', '--group-url'],
};

describe('lobby-rx, called wrongly', () => {
  const service = useService();

  /** The exit code, and the only line on standard error. */
  const lineOf = ({ code, out, err }: Awaited<ReturnType<typeof called>>) => {
    strictEqual(out, '');
    strictEqual(err.split('\n').length, 2, err);
    return `${code} ${err.trimEnd().replace('lobby-rx: ', '')}`;
  };
  const outcome = async (args: string[], change: Record<string, string> = {}, input = '') => {
    const env = { ...service.env(), ...change };
    const { code, ...output } = await lobbyRx(args, { env, input }).exited;
    return lineOf({ code: code ?? 'killed', ...output });
  };

  it('names what is wrong in one line, and sends nothing', async () => {
    const { folder, emulator } = service;
    const file = join(folder, 'bad');
    await writeFile(file, '{');
    const cases: readonly (readonly [Parameters<typeof called>[0], RegExp, Record<string, string>?])[] = [
      [['members'], /^2 the group is missing: pass its id$/],
      [['members', 'a', 'b'], /^2 only one group can be given; got 2$/],
      [
        ['members', 'a', '--count', '0'],
        /^2 --count must be a whole number from 1 to 9007199254740991; got '0'$/,
      ],
      [
        ['members', 'a', '--count', 'x'],
        /^2 --count must be a whole number from 1 to 9007199254740991; got another text$/,
      ],
      [
        ['watch', 'a', '--count', '-1'],
        /^2 --count must be a whole number from 1 to 9007199254740991; got '-1'$/,
      ],
      [['members', 'a', '--colour'], /^2 unknown option '--colour'; see lobby-rx members --help$/],
      [
        ['members', 'a', '--cuont', '1'],
        /^2 unknown option '--cuont' \(did you mean --count\?\); see lobby-rx members --help$/,
      ],
      [['members', 'a', '--url'], /^2 option '--url <value>' argument missing; see lobby-rx members --help$/],
      [['members', 'a', '--json=1'], /^2 option '--json' does not take an argument; see lobby-rx /],
      [
        ['members', 'a'],
        /^2 the URL of the service is missing: set LOBBY_RX_URL or LOBBY_RX_GROUP_URL, or pass --url$/,
        { LOBBY_RX_GROUP_URL: '' },
      ],
      [
        ['members', 'a'],
        /^2 LOBBY_RX_GROUP_URL must be an absolute URL/,
        { LOBBY_RX_GROUP_URL: 'localhost' },
      ],
      [
        ['members', 'a', '--url', ''],
        /^2 --url must be an absolute URL, .*api\.example.*; got an empty string$/,
      ],
      [
        ['members', 'a', '--url', 'ftp://a'],
        /^2 --url must be an http: or https: URL; got a string of 7 characters$/,
      ],
      [
        ['members', 'a'],
        /^2 LOBBY_RX_URL must be an https: URL, .* \(--insecure allows it\); got http:\/\/a.example$/,
        { LOBBY_RX_GROUP_URL: '', LOBBY_RX_URL: 'http://a.example' },
      ],
      [['events'], /^2 the token is missing: set LOBBY_RX_TOKEN$/, { LOBBY_RX_TOKEN: '' }],
      [
        ['events'],
        /^2 LOBBY_RX_TOKEN must be a bearer token; got a string with spaces, /,
        { LOBBY_RX_TOKEN: 'two words' },
      ],
      [['events', '--kind', 'x'], /^2 --kind must be one of identity_update, .*; got another text$/],
      [['events', '--from', ''], /^2 --from must be /],
      [['events', '--checkpoint', ''], /^2 --checkpoint must be the path of a file; got nothing$/],
      [['events', '--checkpoint', file, '--from', '1'], /^2 use either --from or --checkpoint, not both$/],
      [['events', '--give-up', '0'], /^2 --give-up must be a whole number from 1 to 604800; got '0'$/],
      [['members', 'a', '--give-up', '5'], /^2 --give-up is only used with watch$/],
      [['members', ''], /^2 the group is missing: pass its id$/],
    ];
    for (const [args, pattern, change] of cases) {
      match(lineOf(await called(args, { ...service.env(), ...change })), pattern);
    }
    match(await outcome(['events', '--checkpoint', file]), /^2 .*bad does not contain a checkpoint/);
    match(await outcome(['connected']), /^2 the player token is missing: pass it on standard input$/);
    deepStrictEqual(emulator.requests, []);
  });

  for (const command of ['members', 'watch', 'events', 'connected', 'doctor'] as const)
    it(`takes only the URLs that it uses: ${command}`, async () => {
      const args = { members: ['a'], watch: ['a'], events: [], connected: [], doctor: ['--group', 'a'] };
      const used = USED_URLS[command];
      const help = (await called([command, '--help'])).out;
      for (const flag of ['--group-url', '--matchmaker-url', '--api-url']) {
        const isUsed = used.includes(flag);
        const said = lineOf(await called([command, ...args[command], flag, 'x'], service.env()));
        const expected = isUsed ? `^2 ${flag} must be an absolute URL` : `^2 unknown option '${flag}'`;
        match(said, new RegExp(expected));
        strictEqual(help.includes(`  ${flag} URL`), isUsed, flag);
      }
      ok(help.includes('  --url URL'));
    });

  it('does not take a flag that does nothing without another one', async () => {
    const withoutGroup = await called(['doctor', '--group-url', 'https://a.example'], service.env());
    match(lineOf(withoutGroup), /^2 --group-url is only used with --group$/);
    match(lineOf(await called(['emulate', '--every', '5'])), /^2 --every is only used with --simulate$/);
  });

  it('does not quote what may be a token', async () => {
    const said = await outcome(['connected', 'player.s3cret']);
    strictEqual(said, '2 lobby-rx connected takes no arguments but its flags; see lobby-rx connected --help');
    strictEqual(await outcome(['player.s3cret']), '2 unknown command; see lobby-rx --help');
    strictEqual(await outcome(['foo']), "2 unknown command 'foo'; see lobby-rx --help");
    strictEqual(
      await outcome(['emulat']),
      "2 unknown command 'emulat' (did you mean emulate?); see lobby-rx --help",
    );
    // Quoted wrongly, so that it is one word.
    for (const word of ['--token s3cret', '--token=s3cret', '-t s3cret'])
      ok(!(await outcome(['members', word, 'a'])).includes('s3cret'));
    const long = await outcome(['connected'], {}, 's3cret'.repeat(20_000));
    ok(!long.includes('s3cret'));
  });

  it('has exit codes for a refusal, and for a service that is not reached', async () => {
    const { world } = service;
    match(await outcome(['members', 'nowhere']), /^1 404 GROUP_NOT_FOUND/);
    match(
      await outcome(['watch', world.groupId], { LOBBY_RX_TOKEN: 'x' }),
      /^1 sign in again: the service does not accept the token: 401 CLAIMS_MISSING_ENTITLEMENT/,
    );
    match(
      await outcome(['members', 'a', '--group-url', 'http://127.0.0.1:1']),
      /^3 the service cannot be reached: ECONNREFUSED.*; lobby-rx doctor looks for the cause/,
    );
  });
});

describe('The help of lobby-rx', () => {
  type Outcome = Awaited<ReturnType<typeof called>>;
  let usage: Outcome;
  const helps: Outcome[] = [];
  before(async () => {
    const { code, ...output } = await lobbyRx(['--help']).exited;
    usage = { code: code ?? 'killed', ...output };
    for (const command of COMMANDS) helps.push(await called([command, '--help']));
  });

  it('is there for each command, in two ways', async () => {
    const words = await Promise.all(COMMANDS.map(command => lobbyRx(['help', command]).exited));
    for (const [i, help] of helps.entries()) {
      deepStrictEqual([help.code, help.err], [0, '']);
      match(help.out, new RegExp(`^lobby-rx ${COMMANDS[i]}`));
      deepStrictEqual(words[i], help);
    }
    const { code, err } = await lobbyRx(['help', 'member']).exited;
    deepStrictEqual(
      [code, err],
      [2, "lobby-rx: unknown command 'member' (did you mean members?); see lobby-rx --help\n"],
    );
  });

  it('fits into 80 columns', () => {
    const texts = [usage, ...helps].map(({ out }) => out);
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
