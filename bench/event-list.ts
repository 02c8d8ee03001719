import type * as io from 'io-ts';
import { load } from './peers.js';

/** What a library of schemas is asked for. An optional field may be absent or null. */
interface Schemas<Schema> {
  readonly text: Schema;
  readonly boolean: Schema;
  readonly integer: Schema;
  readonly number: Schema;
  readonly json: Schema;
  readonly array: (item: Schema) => Schema;
  readonly record: (value: Schema) => Schema;
  readonly object: (required: Record<string, Schema>, optional?: Record<string, Schema>) => Schema;
}

/** The event list with the fields that lobby-rx checks, in any library of schemas. */
function eventList<Schema>(s: Schemas<Schema>): Schema {
  const { text, array, object } = s;
  const identity_update = object({ identity: identityOf(s) });
  const event = object(
    { kind: object({}, { identity_update, matchmaker_lobby_join: lobbyJoinOf(s) }), ts: text },
    { notification: object({ title: text, description: text, thumbnail_url: text, url: text }) },
  );
  return object({ events: array(event), watch: object({ index: text }) });
}

function identityOf<Schema>(s: Schemas<Schema>): Schema {
  const { text, boolean, integer, number, json, array, object } = s;
  const game = object(
    { game_id: text, name_id: text, display_name: text },
    { banner_url: text, logo_url: text },
  );
  const config = object(
    {
      record_id: text,
      icon_id: text,
      display_name: text,
      aggregation: text,
      format: text,
      sorting: text,
      priority: integer,
    },
    { prefix_singular: text, prefix_plural: text, postfix_singular: text, postfix_plural: text },
  );
  const group = object(
    { group_id: text, display_name: text, external: object({ profile: text }) },
    { avatar_url: text, is_developer: boolean },
  );
  const activity = object({ game, message: text }, { mutual_metadata: json, public_metadata: json });
  return object(
    {
      identity_id: text,
      display_name: text,
      account_number: integer,
      avatar_url: text,
      bio: text,
      join_ts: text,
      external: object({ profile: text }, { settings: text }),
      is_registered: boolean,
      is_admin: boolean,
      following: boolean,
      is_following_me: boolean,
      is_mutual_following: boolean,
      follower_count: integer,
      following_count: integer,
      games: array(object({ game, stats: array(object({ config, overall_value: number })) })),
      groups: array(object({ group })),
      linked_accounts: array(
        object({}, { access_token: object({ name: text }), email: object({ email: text }) }),
      ),
    },
    {
      awaiting_deletion: boolean,
      is_game_linked: boolean,
      presence: object({ status: text, update_ts: text }, { game_activity: activity }),
    },
  );
}

function lobbyJoinOf<Schema>({ text, boolean, integer, record, object }: Schemas<Schema>): Schema {
  const port = object(
    { hostname: text, is_tls: boolean },
    { host: text, port: integer, port_range: object({ min: integer, max: integer }) },
  );
  return object({
    lobby: object({ lobby_id: text, region: object({ region_id: text, display_name: text }) }),
    player: object({ token: text }),
    ports: record(port),
  });
}

/** The event list as one writes it with io-ts's own combinators. */
export function ioTsEventList(t: typeof io): (value: unknown) => boolean {
  const nullable = (codec: io.Mixed) => t.union([codec, t.null, t.undefined]);
  const codec = eventList<io.Mixed>({
    text: t.string,
    boolean: t.boolean,
    integer: t.Int,
    number: t.number,
    json: t.UnknownRecord,
    array: item => t.array(item),
    record: value => t.record(t.string, value),
    object: (required, optional) =>
      optional ? t.intersection([t.type(required), t.partial(mapped(optional, nullable))]) : t.type(required),
  });
  return value => codec.decode(value)._tag === 'Right';
}

interface ZodSchema {
  nullish(): ZodSchema;
  safeParse(value: unknown): { readonly success: boolean };
}
type Zod = Record<'string' | 'boolean' | 'int' | 'number' | 'unknown', () => ZodSchema> & {
  array(item: ZodSchema): ZodSchema;
  record(key: ZodSchema, value: ZodSchema): ZodSchema;
  object(fields: Record<string, ZodSchema>): ZodSchema;
};

export function zodEventList(): (value: unknown) => boolean {
  const { z } = load('zod') as { z: Zod };
  const schema = eventList<ZodSchema>({
    text: z.string(),
    boolean: z.boolean(),
    integer: z.int(),
    number: z.number(),
    json: z.record(z.string(), z.unknown()),
    array: item => z.array(item),
    record: value => z.record(z.string(), value),
    object: (required, optional = {}) =>
      z.object({ ...required, ...mapped(optional, field => field.nullish()) }),
  });
  return value => schema.safeParse(value).success;
}

interface TypeBox {
  readonly Type: Record<'String' | 'Boolean' | 'Integer' | 'Number' | 'Unknown' | 'Null', () => object> & {
    Array(item: object): object;
    Record(key: object, value: object): object;
    Object(fields: Record<string, object>): object;
    Union(types: readonly object[]): object;
    Optional(type: object): object;
  };
}

/**
 * Compiled to JavaScript. It only checks: it says neither what is wrong nor makes anything of the
 * value.
 */
export function typeBoxEventList(): (value: unknown) => boolean {
  const { Type } = load('typebox') as TypeBox;
  const { Compile } = load('typebox/compile') as {
    Compile: (type: object) => { Check(value: unknown): boolean };
  };
  const compiled = Compile(
    eventList<object>({
      text: Type.String(),
      boolean: Type.Boolean(),
      integer: Type.Integer(),
      number: Type.Number(),
      json: Type.Record(Type.String(), Type.Unknown()),
      array: item => Type.Array(item),
      record: value => Type.Record(Type.String(), value),
      object: (required, optional = {}) => {
        const orNull = (type: object) => Type.Optional(Type.Union([type, Type.Null()]));
        return Type.Object({ ...required, ...mapped(optional, orNull) });
      },
    }),
  );
  return value => compiled.Check(value);
}

function mapped<From, To>(fields: Record<string, From>, change: (from: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, change(field)]));
}
