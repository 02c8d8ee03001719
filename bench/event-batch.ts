import { lobbyJoin, profile } from '../test/payload.js';

/**
 * An answer of the event feed: realistic profiles, each with a few games and groups, and lobby
 * joins. No two batches are equal.
 */
export function eventBatch(count: number, index = 1): object {
  const games = Array.from({ length: 2 }, () => profile.games[0]!);
  const identity = { ...profile, games, groups: [profile.groups[0]!, profile.groups[0]!] };
  const { player, ports, lobby } = lobbyJoin;
  // The official client refuses a lobby join that does not say where and who within `lobby` as
  // well.
  const matchmaker_lobby_join = { player, ports, lobby: { ...lobby, player, ports } };
  return {
    events: Array.from({ length: count }, (_, i) => ({
      kind: i % 5 === 4 ? { matchmaker_lobby_join } : { identity_update: { identity } },
      ts: new Date(1_763_640_000_000 + index * 1_000 + i).toISOString(),
      notification: null,
    })),
    watch: { index: `${index}` },
  };
}
