import { ok, strictEqual } from 'node:assert';
import { asyncScheduler } from 'rxjs';
import { isInputError } from 'lobby-rx';
import {
  createControl,
  createEmulator,
  listen,
  seedWorld,
  simulateActivity,
  type ActivityConfig,
  type EmulatorConfig,
  type Fault,
  type FaultPlan,
  type ListenConfig,
  type LobbyPlan,
  type SeedConfig,
} from 'lobby-rx/emulator';

const emulator = createEmulator();
const world = seedWorld(emulator, { members: 2 });
const saved = emulator.save();

const port = { hostname: 'a.example', is_tls: true };

interface Row {
  /** Uses options. Throws or rejects if they are invalid. */
  readonly use: (options: object) => unknown;
  /** Valid values; the first object has all options. */
  readonly valid: readonly object[];
  /** Invalid values by option, with a part of the error message. */
  readonly invalid: readonly (readonly [option: string, value: unknown, expected: string])[];
  /** The prefix of option names in errors. */
  readonly prefix?: string;
}

const seeds = [
  ['seed', 1.5, 'a whole number from 0'],
  ['seed', -1, 'a whole number from 0'],
  ['seed', '1', 'a whole number from 0'],
] as const;
const schedulers = [['scheduler', { now: 1 }, 'an RxJS scheduler']] as const;

const rows: Readonly<Record<string, Row>> = {
  createEmulator: {
    use: options => createEmulator(options),
    valid: [
      {
        blockTime: 0,
        collectTime: 0,
        retention: 0,
        reservation: 0,
        seed: 0,
        saved,
        scheduler: asyncScheduler,
        random: Math.random,
      } satisfies Required<EmulatorConfig>,
    ],
    invalid: [
      ['blockTime', -1, 'milliseconds'],
      ['collectTime', Infinity, 'milliseconds'],
      ['retention', NaN, 'milliseconds'],
      ['reservation', '1', 'milliseconds'],
      ['random', 0.5, 'a function'],
      ['saved', {}, 'emulator.save()'],
      ['saved', { ...saved, groups: null }, 'emulator.save()'],
      ...seeds,
      ...schedulers,
    ],
  },
  listen: {
    use: async options => (await listen(emulator, options)).close(),
    valid: [
      {
        port: 0,
        host: 'localhost',
        allowHosts: ['127.0.0.1:80', 'example.com'],
        control: createControl(emulator, world),
        workbench: emulator.handle,
      } satisfies Required<ListenConfig>,
    ],
    invalid: [
      ['port', -1, 'a whole number from 0 to 65535'],
      ['port', 65_536, 'a whole number from 0 to 65535'],
      ['port', '80', 'a whole number from 0 to 65535'],
      ['host', '', 'a non-empty string'],
      ['allowHosts', 'localhost', 'a list of names, with their ports if they have one'],
      ['control', true, 'what createControl returns'],
      ['workbench', 'a page', 'a function'],
    ],
  },
  seedWorld: {
    use: options => seedWorld(createEmulator(), options),
    valid: [{ members: 1, maxPlayers: 1, seed: 2, ports: { a: port } } satisfies Required<SeedConfig>],
    invalid: [
      ['members', 0, 'a positive integer'],
      ['maxPlayers', 1.5, 'a positive integer'],
      ['ports', 8080, 'an object of ports'],
      ...seeds,
    ],
  },
  simulateActivity: {
    use: options => simulateActivity(emulator, world, options),
    valid: [
      {
        activities: ['chat', 'chat', 'lobby'],
        every: 1,
        seed: 3,
        scheduler: asyncScheduler,
      } satisfies Required<ActivityConfig>,
    ],
    invalid: [
      ['activities', [], 'a non-empty array of presence, profile, members, chat, lobby'],
      ['activities', ['chats'], 'a non-empty array of presence, profile, members, chat, lobby'],
      ['activities', 'chat', 'a non-empty array of presence, profile, members, chat, lobby'],
      ['every', 0, 'milliseconds'],
      ['every', Infinity, 'milliseconds'],
      ...seeds,
      ...schedulers,
    ],
  },
  addLobby: {
    use: options => emulator.addLobby(options),
    valid: [
      {
        ports: { default: port },
        maxPlayers: 1,
      } satisfies Required<LobbyPlan>,
    ],
    invalid: [
      ['ports', [port], 'an object of ports'],
      ['ports', { default: 443 }, 'an object of ports'],
      ['maxPlayers', 0, 'a positive integer'],
    ],
  },
  'the plan of a fault': {
    use: options => emulator.fault({ kind: 'empty' }, options)(),
    valid: [
      { times: Infinity, probability: 0, only: () => false } satisfies Required<FaultPlan>,
      { times: 0 },
    ],
    invalid: [
      ['times', -1, 'a whole number'],
      ['times', 1.5, 'a whole number'],
      ['times', NaN, 'a whole number'],
      ['probability', 2, 'a number from 0 to 1'],
      ['probability', -0.1, 'a number from 0 to 1'],
      ['probability', NaN, 'a number from 0 to 1'],
      ['only', 'watch', 'a function'],
    ],
    prefix: 'plan.',
  },
};

/** The fields of the kinds of fault that have any. */
const fields: Readonly<Record<string, Pick<Row, 'valid' | 'invalid'>>> = {
  empty: { valid: [{ status: 599 }], invalid: [['status', 600, 'a status from 200 to 599']] },
  html: {
    valid: [{ status: 200 }],
    invalid: [
      ['status', 199, 'a status from 200 to 599'],
      ['status', '502', 'a status from 200 to 599'],
    ],
  },
  oversized: {
    valid: [{ bytes: 1 }],
    invalid: [
      ['bytes', 0, 'a whole number from 1 to 268435456'],
      ['bytes', 5e9, 'a whole number from 1 to 268435456'],
    ],
  },
  rate_limited: {
    valid: [
      { wait: 0, form: 'date' },
      { wait: 1, form: 'seconds' },
      { wait: 1, form: 'metadata' },
    ],
    invalid: [
      ['wait', -1, 'milliseconds'],
      ['form', 'header', 'one of seconds, date, metadata'],
    ],
  },
  index_backwards: { valid: [{ ms: 1 }], invalid: [['ms', 0, 'a positive integer']] },
  index_skewed: { valid: [{ ms: -1 }], invalid: [['ms', 1.5, 'a whole number of milliseconds']] },
  hot: { valid: [{}], invalid: [] },
};
const faultRows = Object.entries(fields).map(([kind, { valid, invalid }]): [string, Row] => [
  `a fault of the kind ${kind}`,
  { use: rest => emulator.fault({ kind, ...rest } as Fault)(), valid, invalid, prefix: 'fault.' },
]);

/** The error for invalid options. */
async function refusalOf(use: Row['use'], options: object) {
  const error: unknown = await Promise.resolve(options)
    .then(use)
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  ok(isInputError(error), `not refused: ${JSON.stringify(options)}`);
  return error;
}

describe('the options of the emulator', () => {
  for (const [name, { use, valid, invalid, prefix = '' }] of [...Object.entries(rows), ...faultRows]) {
    it(`are checked: ${name}`, async () => {
      for (const options of valid) await use(options);
      const error = await refusalOf(use, { unheardOf: 5 });
      strictEqual(error.argument, `${prefix}unheardOf`);
      for (const known of Object.keys(valid[0]!)) ok(error.message.includes(known), error.message);

      for (const [option, value, expected] of invalid) {
        const { argument, message } = await refusalOf(use, { [option]: value });
        strictEqual(argument, prefix + option);
        ok(message.includes(expected), message);
      }
      await use({ [invalid[0]?.[0] ?? 'left out']: undefined });
    });
  }

  it('must be objects', async () => {
    for (const [use, argument] of [
      [() => createEmulator(5 as EmulatorConfig), 'config'],
      [() => emulator.fault({ kind: 'empty' }, [] as FaultPlan), 'plan'],
      [() => emulator.fault('empty' as unknown as Fault), 'fault'],
    ] as const) {
      strictEqual((await refusalOf(use, {})).argument, argument);
    }
  });

  it('must name a known kind of fault', async () => {
    for (const kind of ['emtpy', undefined, 'toString', 7]) {
      const error = await refusalOf(() => emulator.fault({ kind } as unknown as Fault), {});
      strictEqual(error.argument, 'fault.kind');
      for (const known of ['reset_before_request', 'html', 'index_skewed', 'count_ignored']) {
        ok(error.message.includes(known), error.message);
      }
    }
  });
});
