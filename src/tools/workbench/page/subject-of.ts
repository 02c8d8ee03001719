import type { WorldView } from '../world-view.js';
import { whoArgument } from './actions/index.js';
import type { Player } from './players/index.js';

/** The player that the page is about: the chosen one, or the one whose token was printed. */
export interface Subject {
  readonly who_id: string;
  readonly name: string;
  /** A group of which the player is a member. */
  readonly group_id: string;
  /** The identities whose clients are connected. */
  readonly connected: readonly string[];
  /** The player on whom commands act. Without a choice, it is a connected one. */
  readonly target: string;
  /** The line that makes a new token for a player. */
  readonly renewalOf: (who_id: string) => string;
}

export function subjectOf(
  { identities, groups, self }: Pick<WorldView, 'identities' | 'groups' | 'self'>,
  players: readonly Player[],
  chosen: string | undefined,
): Subject {
  const isIdentity = (id: string) => identities.some(({ identity_id }) => identity_id === id);
  const who_id = chosen !== undefined && isIdentity(chosen) ? chosen : self;
  const connected = players
    .filter(player => player.tone !== 'gone' && isIdentity(player.who_id))
    .map(player => player.who_id);
  const isThere = chosen !== undefined || connected.includes(who_id);
  const { display_name } = identities.find(({ identity_id }) => identity_id === who_id) ?? {};
  const group = groups.find(({ members }) => members.includes(who_id)) ?? groups[0];
  return {
    who_id,
    name: display_name ?? 'the printed one',
    group_id: group?.group_id ?? '',
    connected,
    target: isThere ? who_id : (connected[0] ?? who_id),
    renewalOf: id => `token renew${whoArgument(id, self)}`,
  };
}
