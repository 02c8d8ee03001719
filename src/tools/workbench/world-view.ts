import { faultKinds, type CommandUsage, type Emulator, type WorldRecords } from '../emulator/index.js';

/** An event in an answer. */
export interface SeenEvent {
  readonly kind: string;
  /** When the service had it, in ms since 1970. */
  readonly at: number;
  /** Its content, in a few words. */
  readonly text: string;
}

/** A command that someone has typed or chosen, and the identity on which it acts. */
export interface SeenAction {
  readonly id: number;
  readonly line: string;
  /** The calls of a test that do the same. `undefined` if the line is a command. */
  readonly calls?: readonly string[];
  readonly who_id: string;
  readonly at: number;
  /** The events of the action are later than `after`, and not later than `until`. */
  readonly after: number;
  readonly until: number;
}

/** A request to the service, and its outcome. Times are in ms since 1970. */
export interface SeenRequest {
  readonly id: number;
  readonly method: string;
  readonly path: string;
  /** The name and the id of the identity or lobby whose token it has. */
  readonly who: string;
  readonly who_id: string;
  readonly is_poll: boolean;
  readonly at: number;
  readonly ended_at?: number;
  /** `undefined` if the request is open or was aborted. 0 if its connection broke. */
  readonly status?: number;
  /** The events in its answer. An answer without events may have other news. */
  readonly events: readonly SeenEvent[];
  readonly has_news: boolean;
  /** The index of its answer. The next poll of a client that got the answer has this index. */
  readonly next_index?: string;
  /** What a lobby and the service have settled about a player, such as `player …1a2b3c is in`. */
  readonly settled?: string;
  /** The fault that it met. */
  readonly fault?: string;
  /** The action that planned the fault, or that let the token of the request expire. */
  readonly cause?: number;
  /** The ray id of an error answer. Only the service itself gives one. */
  readonly ray_id?: string;
  /** How long an error answer asks to wait, in ms. */
  readonly retry_after?: number;
  /** Whether a client cannot decode the answer. */
  readonly is_unreadable?: true;
}

export interface SeenIdentity {
  readonly identity_id: string;
  readonly display_name: string;
  readonly presence?: string;
  /** Whether the service accepts the token that it was given last. */
  readonly has_token: boolean;
}

/** A bearer token of an identity. The token is empty if the identity has none. */
export interface SeenBearer {
  readonly token: string;
  readonly expired: boolean;
}

/** The state of an emulator, as a workbench shows it. It contains no secrets. */
export interface WorldView {
  /** The clock of the emulator, in ms since 1970. */
  readonly now: number;
  /** How long a reservation is valid, in ms. */
  readonly reservation: number;
  /** How long an event is kept, in ms. */
  readonly retention: number;
  readonly identities: readonly SeenIdentity[];
  readonly groups: readonly {
    readonly group_id: string;
    readonly display_name: string;
    readonly members: readonly string[];
  }[];
  readonly lobbies: readonly {
    readonly lobby_id: string;
    readonly slots: number;
    readonly players: readonly {
      readonly player: string;
      readonly state: string;
      readonly reserved_at: number;
    }[];
  }[];
  /** The kinds of faults that can be planned. */
  readonly fault_kinds: readonly string[];
  /** The faults that are planned. */
  readonly planned: readonly { readonly kind: string; readonly left: string }[];
  /** The last actions, the oldest first. */
  readonly actions: readonly SeenAction[];
  /** The identity on which a command acts that names none. */
  readonly self: string;
  /** The commands that can be typed. */
  readonly commands: readonly CommandUsage[];
  /** The requests that are new or have changed since the last answer. */
  readonly requests: readonly SeenRequest[];
  readonly watch: { readonly index: string };
}

/** The part of a view that comes from the world of the emulator. */
export function viewOfWorld(
  emulator: Emulator,
): Pick<WorldView, 'identities' | 'groups' | 'lobbies' | 'fault_kinds' | 'planned'> {
  const { identities, groups, lobbies, players, bearers } = emulator.records;
  // Of several tokens of an identity, the last one counts.
  const isAccepted = new Map([...bearers.values()].map(({ id, expired }) => [id, !expired]));
  return {
    identities: [...identities].map(([identity_id, { profile }]) => ({
      identity_id,
      display_name: profile.display_name,
      has_token: isAccepted.get(identity_id) ?? false,
      ...(profile.presence?.status && { presence: profile.presence.status }),
    })),
    groups: [...groups].map(([group_id, { handle, members }]) => ({
      group_id,
      display_name: handle.display_name,
      members: [...members.keys()],
    })),
    lobbies: [...lobbies].map(([lobby_id, { maxPlayers }]) => ({
      lobby_id,
      slots: maxPlayers,
      players: [...players]
        .filter(([, player]) => player.lobby_id === lobby_id)
        .map(([token, { reservedAt }]) => ({
          player: `…${token.slice(-6)}`,
          reserved_at: reservedAt,
          state: emulator.playerState(token) ?? 'removed',
        })),
    })),
    fault_kinds: [...faultKinds],
    planned: emulator.plannedFaults().map(({ fault, left }) => ({ kind: fault.kind, left: String(left) })),
  };
}

/** The name and id of the sender of requests with a token. It is an identity or a lobby. */
export function ownerOf(
  token: string | undefined,
  { bearers, identities }: WorldRecords,
): Pick<SeenRequest, 'who' | 'who_id'> {
  const bearer = token === undefined ? undefined : bearers.get(token);
  if (!bearer) {
    const who = token === undefined ? 'without a token' : 'an unknown token';
    return { who, who_id: who };
  }
  const { kind, id } = bearer;
  if (kind === 'lobby') return { who: `lobby ${id.slice(0, 8)}`, who_id: id };
  return { who: identities.get(id)?.profile.display_name ?? id, who_id: id };
}

/** The newest valid token of an identity, or an expired one if none is valid. */
export function bearerOf(who_id: string | null, { bearers }: WorldRecords): SeenBearer {
  const own = [...bearers].filter(([, { id }]) => id === who_id).reverse();
  const [token, { expired }] = own.find(([, bearer]) => !bearer.expired) ?? own[0] ?? NO_BEARER;
  return { token, expired };
}

const NO_BEARER = ['', { expired: true }] as const;
