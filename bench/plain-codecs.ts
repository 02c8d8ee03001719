import type * as io from 'io-ts';

/** The event list as you would write it with io-ts's own combinators, for comparison with ours. */
export function plainEventList(t: typeof io) {
  const optional = <C extends io.Mixed>(codec: C) => t.union([codec, t.null, t.undefined]);
  const text = t.string;
  const game = t.intersection([
    t.type({ game_id: text, name_id: text, display_name: text }),
    t.partial({ banner_url: optional(text), logo_url: optional(text) }),
  ]);
  const config = t.intersection([
    t.type({
      ...{ record_id: text, icon_id: text, display_name: text, aggregation: text },
      ...{ format: text, sorting: text, priority: t.Int },
    }),
    t.partial({
      ...{ prefix_singular: optional(text), prefix_plural: optional(text) },
      ...{ postfix_singular: optional(text), postfix_plural: optional(text) },
    }),
  ]);
  const group = t.intersection([
    t.type({ group_id: text, display_name: text, external: t.type({ profile: text }) }),
    t.partial({ avatar_url: optional(text), is_developer: optional(t.boolean) }),
  ]);
  const activity = t.intersection([
    t.type({ game, message: text }),
    t.partial({ mutual_metadata: optional(t.UnknownRecord), public_metadata: optional(t.UnknownRecord) }),
  ]);
  const presence = t.intersection([
    t.type({ status: text, update_ts: text }),
    t.partial({ game_activity: optional(activity) }),
  ]);
  const identity = t.intersection([
    t.type({
      ...{
        identity_id: text,
        display_name: text,
        account_number: t.Int,
        avatar_url: text,
        bio: text,
        join_ts: text,
      },
      external: t.intersection([t.type({ profile: text }), t.partial({ settings: optional(text) })]),
      ...{ is_registered: t.boolean, is_admin: t.boolean, following: t.boolean, is_following_me: t.boolean },
      ...{ is_mutual_following: t.boolean, follower_count: t.Int, following_count: t.Int },
      games: t.array(t.type({ game, stats: t.array(t.type({ config, overall_value: t.number })) })),
      groups: t.array(t.type({ group })),
      linked_accounts: t.array(
        t.partial({
          access_token: optional(t.type({ name: text })),
          email: optional(t.type({ email: text })),
        }),
      ),
    }),
    t.partial({
      ...{ awaiting_deletion: optional(t.boolean), is_game_linked: optional(t.boolean) },
      presence: optional(presence),
    }),
  ]);
  const port = t.intersection([
    t.type({ hostname: text, is_tls: t.boolean }),
    t.partial({
      host: optional(text),
      port: optional(t.Int),
      port_range: optional(t.type({ min: t.Int, max: t.Int })),
    }),
  ]);
  const join = t.type({
    lobby: t.type({ lobby_id: text, region: t.type({ region_id: text, display_name: text }) }),
    player: t.type({ token: text }),
    ports: t.record(text, port),
  });
  const note = t.type({ title: text, description: text, thumbnail_url: text, url: text });
  const event = t.intersection([
    t.type({
      kind: t.partial({
        identity_update: optional(t.type({ identity })),
        matchmaker_lobby_join: optional(join),
      }),
      ts: text,
    }),
    t.partial({ notification: optional(note) }),
  ]);
  return t.type({ events: t.array(event), watch: t.type({ index: text }) });
}
