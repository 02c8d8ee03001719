import * as t from 'io-ts';
import { faultKinds, type Emulator, type SavedWorld } from '../emulator/index.js';
import { struct, WatchData } from '../../protocol/index.js';

/** A request to the service, and what became of it. */
export type SeenRequest = t.TypeOf<typeof SeenRequest>;
const SeenRequest = struct(
  'SeenRequest',
  {
    ...{ id: t.number, method: t.string, path: t.string, who: t.string, is_poll: t.boolean, at: t.number },
    events: t.array(t.string),
  },
  // Without a status, it was aborted; with 0, its connection broke.
  { ended_at: t.number, status: t.number },
);

export type SeenIdentity = t.TypeOf<typeof SeenIdentity>;
const SeenIdentity = struct(
  'SeenIdentity',
  { identity_id: t.string, display_name: t.string },
  { presence: t.string },
);

const SeenGroup = struct('SeenGroup', {
  ...{ group_id: t.string, display_name: t.string },
  members: t.array(t.string),
});

const SeenLobby = struct('SeenLobby', {
  ...{ lobby_id: t.string, slots: t.number },
  players: t.array(struct('SeenPlayer', { player: t.string, state: t.string, reserved_at: t.number })),
});

/** What a workbench shows of an emulator. It has no secrets. */
export type WorldView = t.TypeOf<typeof WorldView>;
export const WorldView = struct('WorldView', {
  /** The clock of the emulator, and how long a reservation holds, in ms. */
  ...{ now: t.number, reservation: t.number },
  ...{ identities: t.array(SeenIdentity), groups: t.array(SeenGroup), lobbies: t.array(SeenLobby) },
  /** What can be planned, and what is. */
  fault_kinds: t.array(t.string),
  planned: t.array(struct('PlannedFault', { kind: t.string, left: t.string })),
  /** Those that are new or have ended since the last answer. */
  requests: t.array(SeenRequest),
  watch: WatchData,
});

/** Everything of a view that is in the world itself. */
export function viewOfWorld(
  emulator: Emulator,
  saved: SavedWorld,
): Pick<WorldView, 'identities' | 'groups' | 'lobbies' | 'fault_kinds' | 'planned'> {
  return {
    identities: saved.identities.map(([identity_id, { profile }]) => ({
      ...{ identity_id, display_name: profile.display_name },
      ...(profile.presence?.status && { presence: profile.presence.status }),
    })),
    groups: saved.groups.map(([group_id, { handle, members }]) => ({
      ...{ group_id, display_name: handle.display_name },
      members: members.map(([identity_id]) => identity_id),
    })),
    lobbies: saved.lobbies.map(([lobby_id, { maxPlayers }]) => ({
      ...{ lobby_id, slots: maxPlayers },
      players: saved.players
        .filter(([, player]) => player.lobby_id === lobby_id)
        .map(([token, { reservedAt }]) => ({
          ...{ player: `…${token.slice(-6)}`, reserved_at: reservedAt },
          state: emulator.playerState(token) ?? 'removed',
        })),
    })),
    fault_kinds: [...faultKinds],
    planned: emulator.plannedFaults().map(({ fault, left }) => ({ kind: fault.kind, left: String(left) })),
  };
}

/** Who sends requests with a token: the name of an identity, or the id of a lobby. */
export function ownerOf(token: string | undefined, { bearers, identities }: SavedWorld): string {
  const bearer = bearers.find(([other]) => other === token)?.[1];
  if (!bearer) return token === undefined ? 'without a token' : 'an unknown token';
  if (bearer.kind === 'lobby') return `lobby ${bearer.id.slice(0, 8)}`;
  return identities.find(([id]) => id === bearer.id)?.[1].profile.display_name ?? bearer.id;
}

/** The kinds of the events in an answer. */
export function kindsIn(body: string): string[] {
  if (!body.includes('"events"')) return [];
  try {
    const { events = [] } = JSON.parse(body) as { events?: readonly { readonly kind: object }[] };
    return events.map(({ kind }) => Object.keys(kind)[0] ?? 'unknown');
  } catch {
    // Truncated by a fault.
    return [];
  }
}
