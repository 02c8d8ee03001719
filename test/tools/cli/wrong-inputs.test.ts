import { ok, strictEqual } from 'node:assert';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { called } from './called.js';

/** A token, or a part of one, that was put where it does not belong. No message may show it. */
const SECRET = 's3cret';

/** Wrong texts for each kind of value. */
const WRONG = {
  count: [
    '',
    ' ',
    '0',
    '-1',
    '1.5',
    '1e3',
    '0x10',
    'NaN',
    'Infinity',
    '9'.repeat(20),
    '1,000',
    '1 ',
    '١',
    SECRET,
  ],
  seconds: ['', '0', '-5', '0.5', '5s', '0x10', 'NaN', 'Infinity', '604801', '1e3', '5\n', SECRET],
  port: ['', '-1', '8080.5', '65536', '0x50', 'http', '127.0.0.1:8080', 'NaN', SECRET],
  seed: ['', '-1', '1.5', '4294967296', '0xff', 'NaN', SECRET],
  every: ['', '0', '-1', '1.5', '3600001', '1s', '1e3', 'Infinity', SECRET],
  url: [
    '',
    ' ',
    SECRET,
    'service.example',
    'localhost:8080',
    `${SECRET}:8080`,
    '/v1',
    '//service.example',
    'https://',
    'https://a b.example',
    'https://service.example:99999',
    'ftp://service.example',
    'wss://service.example',
    'file:///service',
    `javascript:${SECRET}`,
    `https://user:${SECRET}@service.example`,
    `https://${SECRET}@service.example`,
    `https://service.example?token=${SECRET}`,
    `https://service.example/#${SECRET}`,
    'http://service.example',
    'http://10.0.0.1:8080',
    'http://[::2]',
  ],
  nats: [
    '',
    ' ',
    SECRET,
    '127.0.0.1:4222',
    'nats://',
    'nats:127.0.0.1',
    'nats://a b',
    'nats://127.0.0.1:99999',
    'nats://127.0.0.1:x',
    'tls://127.0.0.1',
    'http://127.0.0.1:4222',
    `nats://user:${SECRET}@127.0.0.1`,
    `nats://${SECRET}@127.0.0.1`,
    `nats://127.0.0.1/${SECRET}`,
    `nats://127.0.0.1?token=${SECRET}`,
    `nats://127.0.0.1,nats://${SECRET}@127.0.0.2`,
    'nats://127.0.0.1,',
  ],
  fleet: ['', ' ', 'Lobby', 'two words', 'a.b', '*', '>', 'x'.repeat(33), `${SECRET}!`],
  token: [
    '',
    ' ',
    `Bearer ${SECRET}`,
    `bearer\t${SECRET}`,
    `Authorization: Bearer ${SECRET}`,
    `two ${SECRET}`,
    `${SECRET}\n`,
    `${SECRET}\r\n`,
    ` ${SECRET}`,
    `“${SECRET}”`,
    `${SECRET}\u0000`,
  ],
  origin: [
    '',
    ' ',
    SECRET,
    'service.example',
    '*',
    'https://game.example/play',
    `https://user:${SECRET}@game.example`,
    `https://game.example?token=${SECRET}`,
    'ws://game.example',
    'ftp://game.example',
    'file:///play',
    'capacitor://',
    `data:${SECRET}`,
  ],
  kind: ['', ' ', 'IDENTITY_UPDATE', 'identity-update', 'identity_update,unknown', 'x', SECRET, '1'],
  index: ['', 'x'.repeat(2049), SECRET.repeat(400)],
  group: ['', ' ', '.', '..', '\n', 'two words', `Bearer ${SECRET}`, 'x'.repeat(3000)],
  hosts: ['', ' ', 'a b', 'http://127.0.0.1', '127.0.0.1/8', 'a,b c', `user:${SECRET}@host`, '*'],
  lobby: [
    '',
    SECRET,
    '127.0.0.1:8080',
    'http://127.0.0.1:8080',
    'ws://',
    'ws:127.0.0.1',
    'ws://a b',
    'ws://127.0.0.1:99999',
    'ws://127.0.0.1:0',
    'ws://127.0.0.1:x',
    'ws://999.999.999.999',
    'ws://[:::::]',
    'ws://a|b',
    `ws://user:${SECRET}@127.0.0.1`,
    `ws://127.0.0.1/play?token=${SECRET}`,
    `ws://127.0.0.1/#${SECRET}`,
  ],
} as const;

type Kind = keyof typeof WRONG;
type Name = Parameters<typeof called>[0][0];

/** What a command takes. */
interface Grammar {
  /** Arguments without which some of the flags are wrong anyway. */
  readonly given: readonly string[];
  /** The flags with a value. */
  readonly flags: Readonly<Record<string, Kind>>;
  /** The flags without a value. */
  readonly toggles: readonly string[];
  /** The variables with a URL. */
  readonly variables: readonly string[];
}

const CONNECTION = ['insecure', 'help'];
const GRAMMARS: Readonly<Record<Name, Grammar>> = {
  members: {
    given: ['group'],
    flags: { url: 'url', 'group-url': 'url', count: 'count' },
    toggles: ['json', ...CONNECTION],
    variables: ['LOBBY_RX_URL', 'LOBBY_RX_GROUP_URL'],
  },
  watch: {
    given: ['group'],
    flags: { url: 'url', 'group-url': 'url', count: 'count', 'give-up': 'seconds' },
    toggles: ['json', ...CONNECTION],
    variables: ['LOBBY_RX_URL', 'LOBBY_RX_GROUP_URL'],
  },
  events: {
    given: [],
    flags: { url: 'url', 'api-url': 'url', kind: 'kind', from: 'index', 'give-up': 'seconds' },
    toggles: ['json', ...CONNECTION],
    variables: ['LOBBY_RX_URL', 'LOBBY_RX_API_URL'],
  },
  connected: {
    given: [],
    flags: { url: 'url', 'matchmaker-url': 'url' },
    toggles: CONNECTION,
    variables: ['LOBBY_RX_URL', 'LOBBY_RX_MATCHMAKER_URL'],
  },
  doctor: {
    given: ['--group=group'],
    flags: { url: 'url', 'api-url': 'url', 'group-url': 'url', origin: 'origin' },
    toggles: ['json', ...CONNECTION],
    variables: ['LOBBY_RX_URL', 'LOBBY_RX_API_URL', 'LOBBY_RX_GROUP_URL'],
  },
  emulate: {
    given: ['--simulate'],
    flags: {
      port: 'port',
      host: 'hosts',
      'allow-host': 'hosts',
      seed: 'seed',
      lobby: 'lobby',
      every: 'every',
    },
    toggles: ['ui', 'simulate', 'json', 'exit-with-stdin', 'help'],
    variables: [],
  },
  fleet: {
    given: [],
    flags: { nats: 'nats', fleet: 'fleet', late: 'seconds' },
    toggles: ['json', 'help'],
    variables: [],
  },
};

/** A wrong call. */
interface Input {
  readonly args: readonly string[];
  /** What the message has to name. */
  readonly names: string;
  /** Variables that differ. */
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input. */
  readonly stdin?: string;
}

const RIGHT = {
  NATS_URL: 'nats://127.0.0.1:4222',
  LOBBY_RX_URL: 'https://service.example',
  LOBBY_RX_TOKEN: 'token',
};

function wrongValues({ flags, given }: Grammar): Input[] {
  return Object.entries(flags).flatMap(([flag, kind]) => {
    const names = `--${flag}`;
    return [
      ...WRONG[kind].map(value => ({ args: [...given, names, value], names })),
      { args: [...given, names], names },
      { args: [...given, names, '--help'], names },
      { args: [...given, `${names}=1`, `${names}=2`], names },
    ];
  });
}

function wrongFlags(name: Name, { flags, toggles, given }: Grammar): Input[] {
  const own = [...Object.keys(flags), ...toggles];
  const ofOthers = Object.values(GRAMMARS).flatMap(other => Object.keys(other.flags));
  const foreign = [...new Set([...ofOthers, 'checkpoint'])].filter(flag => !own.includes(flag));
  return [
    ...toggles.map(flag => ({ args: [...given, `--${flag}=${SECRET}`], names: `--${flag}` })),
    ...toggles.map(flag => ({ args: [...given, `--no-${flag}`], names: `'--no-${flag}'` })),
    ...own.filter(flag => flag.length > 3).map(flag => misspelt(given, flag)),
    ...own.map(flag => ({
      args: [...given, `-${flag}`, SECRET],
      names: `'-${flag}' (did you mean --${flag}?)`,
    })),
    ...foreign
      .filter(flag => name !== 'events' || flag !== 'checkpoint')
      .map(flag => ({ args: [...given, `--${flag}`, '1'], names: `--${flag}` })),
    ...[`--token=${SECRET}`, `--token ${SECRET}`].map(arg => ({ args: [...given, arg], names: "'--token'" })),
    { args: [...given, `-t${SECRET}`], names: "'-t'" },
    { args: [...given, '-1'], names: "'-1'" },
    { args: [...given, '--=x'], names: "'--'" },
  ];
}

/** A flag without its second letter. */
function misspelt(given: readonly string[], flag: string): Input {
  const wrong = `${flag.charAt(0)}${flag.slice(2)}`;
  return { args: [...given, `--${wrong}`, '1'], names: `'--${wrong}' (did you mean --${flag}?)` };
}

function wrongArguments(name: Name, { given }: Grammar): Input[] {
  if (name === 'members' || name === 'watch')
    return [
      { args: [], names: 'the group' },
      ...WRONG.group.map(group => ({ args: [group], names: group === '' ? 'the group' : 'GROUP' })),
      ...['', '-', '—json', SECRET].map(arg => ({ args: [...given, arg], names: 'only one group' })),
    ];
  return ['', '-', '—json', SECRET].map(arg => ({
    args: [...given, arg],
    names: `${name} takes no arguments but ${name === 'fleet' ? 'drain WORKER' : 'its flags'}`,
  }));
}

function wrongVariables(name: Name, { given, variables }: Grammar): Input[] {
  if (name === 'emulate' || name === 'fleet') return [];
  return [
    ...variables.map(variable => ({ args: given, names: variable, env: { LOBBY_RX_URL: '' } })).slice(0, 2),
    ...variables.flatMap(variable =>
      // An empty variable counts as not set.
      WRONG.url.filter(Boolean).map(url => ({ args: given, names: variable, env: { [variable]: url } })),
    ),
    ...WRONG.token.map(token => ({ args: given, names: 'LOBBY_RX_TOKEN', env: { LOBBY_RX_TOKEN: token } })),
  ];
}

/** What only this command takes. `path` gives the path of a file of the test. */
function wrongOtherwise(name: Name, path: (file: string) => string): Input[] {
  switch (name) {
    case 'connected':
      return ['', ' ', '\n', `\n${SECRET}`, `Bearer ${SECRET}`, `two ${SECRET}`, `${SECRET}\u0000`].map(
        stdin => ({
          args: [],
          names: 'the player token',
          stdin,
        }),
      );
    case 'doctor':
      return [
        ...WRONG.group.map(group => ({ args: ['--group', group], names: '--group' })),
        { args: ['--group-url', 'https://service.example'], names: '--group-url is only used with --group' },
        ...['', 'lobby.example', 'https://lobby.example/', `wss://lobby.example/?token=${SECRET}`].map(
          lobby => ({
            args: ['--lobby', lobby],
            names: '--lobby must be like wss://',
          }),
        ),
        { args: ['--lobby', 'wss://lobby.example/', '--group', 'g'], names: '--lobby is only used with' },
      ];
    case 'fleet':
      return [
        { args: [], names: 'NATS_URL', env: { NATS_URL: '' } },
        ...WRONG.nats.filter(Boolean).map(url => ({ args: [], names: 'NATS_URL', env: { NATS_URL: url } })),
        ...['NATS_CREDS', 'NATS_CA', 'NATS_CERT', 'NATS_KEY'].map(variable => ({
          args: [],
          names: variable,
          env: { [variable]: path('nowhere/file') },
        })),
        { args: [], names: 'NATS_USER', env: { NATS_PASSWORD: SECRET } },
        { args: ['drain'], names: 'the worker' },
        ...['', ' ', 'two words', 'a.b', '*', 'x'.repeat(65), `${SECRET}!`].map(worker => ({
          args: ['drain', worker],
          names: 'WORKER',
        })),
        { args: ['drain', 'ada', SECRET], names: 'drain WORKER' },
        { args: ['drain', 'ada', '--late', '5'], names: '--late is only used without drain' },
      ];
    case 'emulate':
      return [{ args: ['--every', '5'], names: '--every is only used with --simulate' }];
    case 'events': {
      const files = [
        '',
        '.',
        'link',
        'empty',
        'brace',
        'other',
        'nowhere/file',
        'other/file',
        'x'.repeat(300),
      ];
      // A file that no user can read, not even root.
      const unreadable = ['/proc/self/mem'].filter(existsSync);
      return [
        ...files
          .map(file => file && path(file))
          .concat(unreadable)
          .map(file => ({
            args: ['--checkpoint', file],
            names: '--checkpoint',
          })),
        { args: ['--checkpoint', path('new'), '--from', '1'], names: 'either --from or --checkpoint' },
        { args: ['--checkpoint', path('new'), '--give-up', 'x'], names: '--give-up' },
        { args: ['--checkpoint', path('new'), '--url', 'x'], names: '--url' },
      ];
    }
  }
  return [];
}

/** The words of a message that says what to change. */
const CHANGE =
  /must be|missing|more than once|only used|unknown option|only one|no arguments but|not take an argument|not both|cannot be (read|written)|does not contain/;

/** What is wrong with the message about a wrong call. */
function faultsOf({ code, out, err }: Awaited<ReturnType<typeof called>>, names: string): string[] {
  const faults: Readonly<Record<string, boolean>> = {
    'the exit code is not 2': code !== 2,
    'something is on standard output': out !== '',
    'it is not one sentence on one line': !/^lobby-rx: [^\n]+\n$/.test(err) || /[.!?] [A-Z]/.test(err),
    [`it does not name ${names}`]: !err.includes(names),
    'it does not say what to change': !CHANGE.test(err),
    'it shows a token': err.includes(SECRET),
  };
  return Object.keys(faults).filter(fault => faults[fault]);
}

describe('A wrong call of lobby-rx is refused with what to change, and sends nothing:', () => {
  const connections: Socket[] = [];
  const sent = () => connections.length;
  let folder: string;
  const path = (file: string) => join(folder, file);
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'lobby-rx-wrong-'));
    writeFileSync(path('empty'), '');
    writeFileSync(path('brace'), '{');
    writeFileSync(path('other'), '{"index":7}');
    symlinkSync(path('other'), path('link'));
    // Every connection begins here, and ends the command that should not have sent anything.
    mock.method(Socket.prototype, 'connect', function (this: Socket) {
      connections.push(this);
      setImmediate(() => process.emit('SIGTERM'));
      return this;
    });
  });
  after(() => {
    mock.restoreAll();
    rmSync(folder, { recursive: true });
  });

  for (const [name, grammar] of Object.entries(GRAMMARS) as [Name, Grammar][])
    it(name, async () => {
      const inputs = [
        ...wrongValues(grammar),
        ...wrongFlags(name, grammar),
        ...wrongArguments(name, grammar),
        ...wrongVariables(name, grammar),
        ...wrongOtherwise(name, path),
      ];
      ok(inputs.length >= 30);
      const faults: string[] = [];
      connections.length = 0;
      for (const { args, names, env, stdin = 'player' } of inputs) {
        const outcome = await called([name, ...args], { ...RIGHT, ...env }, stdin);
        // An emulator that should not have started.
        if (outcome.code === 0) process.emit('SIGTERM');
        const what = JSON.stringify({ args, env, stdin }).slice(0, 200);
        for (const fault of faultsOf(outcome, names)) faults.push(`${what}: ${fault}: ${outcome.err}`);
      }
      strictEqual(faults.join('\n'), '');
      strictEqual(sent(), 0);
      ok(!existsSync(path('new')));
      // The right call does send something, and so would a wrong one. That of `fleet` would load
      // the library a second time. It has its test in test/nats.
      if (name === 'emulate' || name === 'fleet') return;
      await called([name, ...grammar.given], RIGHT, 'player');
      ok(sent() > 0);
    });
});
