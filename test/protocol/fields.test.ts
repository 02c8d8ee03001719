import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert';
import * as t from 'io-ts';
import { isLeft } from '#fp-ts/Either';
import { struct, type AnyStruct } from 'lobby-rx';
import * as lobby from 'lobby-rx/codecs';
import { decodeIssues } from '../../src/protocol/index.js';
import { EventDecoder } from '../../src/protocol/identity-event-list.js';
import { handle, lobbyJoin, notification, profile } from '../payload.js';

type Kind = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'cursor';

/**
 * A table of the interface document: its fields, with a `?` after optional ones, and their types.
 */
type Table = Readonly<Record<string, Kind>>;

const WRONG: Readonly<Record<Kind, unknown>> = {
  string: 7,
  cursor: 7,
  integer: 1.5,
  number: '1',
  boolean: 'yes',
  object: 'no',
  array: {},
};

/** Events have no separate codec: they decode to live events, and errors are in a malformed one. */
const Event = new t.Type<unknown>(
  'Event',
  t.unknown.is,
  (u, context) => {
    const issues = new EventDecoder({})
      .decode(u)
      .flatMap(event => (event.kind === 'malformed' ? event.errors : []));
    // Each path begins with `events[0]`.
    const at = (path: string) => ({ key: path.split('.')[1]!, type: t.unknown });
    return issues.length === 0
      ? t.success(u)
      : t.failures(issues.slice(0, 1).map(({ path }) => ({ value: u, context: [...context, at(path)] })));
  },
  t.identity,
);

const game = profile.games[0]!;
const group = profile.groups[0]!.group;
const members = { members: [{ identity: handle }], anchor: '1700000000000', watch: { index: '1' } };

const tables: readonly [section: string, codec: t.Mixed, value: object, table: Table][] = [
  ['2.1', lobby.GroupMemberList, members, { 'anchor?': 'cursor', members: 'array', watch: 'object' }],
  ['2.1 item', lobby.GroupMember, members.members[0]!, { identity: 'object' }],
  ['2.2', lobby.WatchData, members.watch, { index: 'cursor' }],
  [
    '2.3',
    lobby.IdentityEventList,
    { events: [], watch: { index: '1' } },
    { events: 'array', watch: 'object' },
  ],
  [
    '2.4',
    Event,
    { kind: { chat_message: {} }, ts: 'now', notification },
    { kind: 'object', 'notification?': 'object', ts: 'string' },
  ],
  [
    '2.5',
    lobby.Profile,
    profile,
    {
      account_number: 'integer',
      avatar_url: 'string',
      'awaiting_deletion?': 'boolean',
      bio: 'string',
      display_name: 'string',
      external: 'object',
      follower_count: 'integer',
      following: 'boolean',
      following_count: 'integer',
      games: 'array',
      groups: 'array',
      identity_id: 'string',
      is_admin: 'boolean',
      is_following_me: 'boolean',
      'is_game_linked?': 'boolean',
      is_mutual_following: 'boolean',
      is_registered: 'boolean',
      join_ts: 'string',
      linked_accounts: 'array',
      'presence?': 'object',
    },
  ],
  ['2.5 external', lobby.IdentityExternal, profile.external, { profile: 'string', 'settings?': 'string' }],
  ['2.5 games', lobby.ProfileGame, game, { game: 'object', stats: 'array' }],
  ['2.5 groups', lobby.ProfileGroup, profile.groups[0]!, { group: 'object' }],
  [
    '2.5 linked_accounts',
    lobby.LinkedAccount,
    profile.linked_accounts[0]!,
    { 'access_token?': 'object', 'email?': 'object' },
  ],
  [
    '2.5 access_token',
    lobby.LinkedAccessToken,
    profile.linked_accounts[0]!.access_token!,
    { name: 'string' },
  ],
  ['2.5 email', lobby.LinkedEmail, profile.linked_accounts[0]!.email!, { email: 'string' }],
  [
    '2.6 game handle',
    lobby.GameHandle,
    game.game,
    {
      'banner_url?': 'string',
      display_name: 'string',
      game_id: 'string',
      'logo_url?': 'string',
      name_id: 'string',
    },
  ],
  [
    '2.6 group handle',
    lobby.GroupHandle,
    group,
    {
      'avatar_url?': 'string',
      display_name: 'string',
      external: 'object',
      group_id: 'string',
      'is_developer?': 'boolean',
    },
  ],
  ['2.6 group external', lobby.GroupExternal, group.external, { profile: 'string' }],
  ['2.6 stat', lobby.Stat, game.stats[0]!, { config: 'object', overall_value: 'number' }],
  [
    '2.6 stat config',
    lobby.StatConfig,
    game.stats[0]!.config,
    {
      aggregation: 'string',
      display_name: 'string',
      format: 'string',
      icon_id: 'string',
      'postfix_plural?': 'string',
      'postfix_singular?': 'string',
      'prefix_plural?': 'string',
      'prefix_singular?': 'string',
      priority: 'integer',
      record_id: 'string',
      sorting: 'string',
    },
  ],
  [
    '2.7',
    lobby.Presence,
    profile.presence!,
    { 'game_activity?': 'object', status: 'string', update_ts: 'string' },
  ],
  [
    '2.7 game activity',
    lobby.GameActivity,
    profile.presence!.game_activity!,
    { game: 'object', message: 'string', 'mutual_metadata?': 'object', 'public_metadata?': 'object' },
  ],
  [
    '2.8',
    lobby.Notification,
    notification,
    { description: 'string', thumbnail_url: 'string', title: 'string', url: 'string' },
  ],
  ['2.9', lobby.LobbyJoin, lobbyJoin, { lobby: 'object', player: 'object', ports: 'object' }],
  ['2.9 lobby', lobby.Lobby, lobbyJoin.lobby, { lobby_id: 'string', region: 'object' }],
  ['2.9 region', lobby.Region, lobbyJoin.lobby.region, { display_name: 'string', region_id: 'string' }],
  ['2.9 player', lobby.LobbyPlayer, lobbyJoin.player, { token: 'string' }],
  [
    '2.9 port',
    lobby.Port,
    { ...lobbyJoin.ports.voice, ...lobbyJoin.ports.default },
    {
      'host?': 'string',
      hostname: 'string',
      is_tls: 'boolean',
      'port?': 'integer',
      'port_range?': 'object',
    },
  ],
  ['2.9 port range', lobby.PortRange, { min: 1, max: 2 }, { min: 'integer', max: 'integer' }],
  [
    'member handle',
    lobby.IdentityHandle,
    handle,
    {
      account_number: 'integer',
      avatar_url: 'string',
      display_name: 'string',
      external: 'object',
      identity_id: 'string',
      is_registered: 'boolean',
      'presence?': 'object',
    },
  ],
  [
    'error body',
    lobby.ErrorBody,
    { code: 'X', message: 'x', documentation: 'https://x', metadata: 1, ray_id: 'r' },
    { 'code?': 'string', 'message?': 'string', 'documentation?': 'string', 'ray_id?': 'string' },
  ],
];

/** The paths of the errors that a codec finds; undefined if it accepts the value. */
function paths(codec: t.Mixed, value: unknown): readonly string[] | undefined {
  const result = codec.decode(value) as t.Validation<unknown>;
  return isLeft(result) ? decodeIssues(result.left).map(({ path }) => path) : undefined;
}

/**
 * Fields that may be missing although the document requires them: a watch then continues without an
 * index.
 */
const TOLERATED = ['index', 'watch'];

describe('the fields of the interface document', () => {
  for (const [section, codec, value, table] of tables) {
    describe(section, () => {
      it('decodes without a copy, including unknown keys', () => {
        const strange = { ...value, not_in_the_document: [1] };
        strictEqual(paths(codec, strange), undefined);
        if (codec !== lobby.IdentityEventList) {
          strictEqual((codec.decode(strange) as { right: unknown }).right, strange);
        }
      });

      for (const [name, kind] of Object.entries(table)) {
        const field = name.replace('?', '');
        const isOptional = name.endsWith('?') || TOLERATED.includes(field);
        const { [field as never]: present, ...absent } = value as Record<string, unknown>;

        it(`${field}: present in the example`, () => ok(present !== undefined));
        it(`${field}: absent is ${isOptional ? 'valid' : 'an error at its path'}`, () => {
          deepStrictEqual(paths(codec, absent), isOptional ? undefined : [field]);
        });
        it(`${field}: null is ${isOptional ? 'valid' : 'an error at its path'}`, () => {
          deepStrictEqual(paths(codec, { ...value, [field]: null }), isOptional ? undefined : [field]);
        });
        it(`${field}: a wrong type is an error at its path`, () => {
          deepStrictEqual(paths(codec, { ...value, [field]: WRONG[kind] }), [field]);
        });
      }
    });
  }

  it('need a name', () => {
    const nameless = struct as unknown as (fields: object) => unknown;
    throws(
      () => nameless({ text: t.string }),
      /^InputError: name must be a non-empty string; got an object$/,
    );
  });

  it('are exactly those in the tables above', () => {
    for (const [section, codec, , table] of tables) {
      const { required, optional } = codec as Partial<AnyStruct>;
      if (!required || section === 'error body') continue;
      const fields = [...Object.keys(required), ...Object.keys(optional ?? {}).map(name => `${name}?`)];
      deepStrictEqual(fields.sort(), Object.keys(table).sort(), section);
    }
  });

  it('have full paths if they are nested deeply in a payload', () => {
    const bad = structuredClone(profile) as unknown as {
      games: { stats: { config: { priority: unknown } }[] }[];
    };
    bad.games[0]!.stats[0]!.config.priority = null;
    const raw = { kind: { identity_update: { identity: bad } }, ts: 'now' };
    const [event] = new EventDecoder({}).decode(raw);
    deepStrictEqual(event?.kind === 'malformed' && event.errors, [
      {
        path: 'events[0].kind.identity_update.identity.games[0].stats[0].config.priority',
        expected: 'integer',
        got: 'null',
      },
    ]);
  });

  it('keep keys that come from the wire out of paths', () => {
    deepStrictEqual(paths(lobby.LobbyJoin, { ...lobbyJoin, ports: { 'secret-name': { is_tls: true } } }), [
      'ports.*.hostname',
    ]);
  });

  it('are encoded by their codecs, and those that are absent or null stay so', () => {
    const Time = new t.Type<Date, unknown>(
      'Time',
      (u): u is Date => u instanceof Date,
      u => t.success(new Date(String(u))),
      date => date.toISOString(),
    );
    const Turn = struct('Turn', { at: Time, by: t.string }, { until: Time, last: Time });
    const at = new Date(Date.UTC(2026, 0, 1));
    const turn = { at, by: 'Ada', until: null, more: 1 };
    deepStrictEqual(Turn.encode(turn), { at: at.toISOString(), by: 'Ada', until: null, more: 1 });
    strictEqual(turn.at, at);
    deepStrictEqual(lobby.Acknowledged.encode(undefined), {});
  });
});
