import { faultKinds, type Emulator, type WorldRecords } from '../emulator/index.js';

/** An event in an answer. */
export interface SeenEvent {
  readonly kind: string;
  /** When the service had it, in ms since 1970. */
  readonly at: number;
  /** What it says, in a few words. */
  readonly text: string;
}

/** What somebody has typed or pressed: a command as it is typed, and on whom it acts. */
export interface SeenAction {
  readonly id: number;
  readonly line: string;
  readonly who_id: string;
  readonly at: number;
  /** Its events are later than the one time, and none is later than the other. */
  readonly after: number;
  readonly until: number;
}

/** A request to the service, and what became of it. Times are in ms since 1970. */
export interface SeenRequest {
  readonly id: number;
  readonly method: string;
  readonly path: string;
  /** Whose token it has: a name, and the id of an identity or a lobby. */
  readonly who: string;
  readonly who_id: string;
  readonly is_poll: boolean;
  readonly at: number;
  readonly ended_at?: number;
  /** Without one, it was aborted; with 0, its connection broke. */
  readonly status?: number;
  /** The events in its answer, and whether that has news at all. */
  readonly events: readonly SeenEvent[];
  readonly has_news: boolean;
  /** The index of its answer: the next poll of a client that got it comes with that. */
  readonly next_index?: string;
  /** The fault that it met. */
  readonly fault?: string;
}

export interface SeenIdentity {
  readonly identity_id: string;
  readonly display_name: string;
  readonly presence?: string;
}

/** A bearer token of an identity: empty if it has none. */
export interface SeenBearer {
  readonly token: string;
  readonly expired: boolean;
}

/** What a workbench shows of an emulator. It has no secrets. */
export interface WorldView {
  /**
   * The clock of the emulator; how long a reservation holds, and how long an event is kept, in ms.
   */
  readonly now: number;
  readonly reservation: number;
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
  /** What can be planned, and what is. */
  readonly fault_kinds: readonly string[];
  readonly planned: readonly { readonly kind: string; readonly left: string }[];
  /** The last ones, oldest first. */
  readonly actions: readonly SeenAction[];
  /** Whom commands act on that name nobody. */
  readonly self: string;
  /** What can be typed: a line for each command. */
  readonly help: string;
  /** Those that are new or have changed since the last answer. */
  readonly requests: readonly SeenRequest[];
  readonly watch: { readonly index: string };
}

/** Everything of a view that is in the world itself. */
export function viewOfWorld(
  emulator: Emulator,
): Pick<WorldView, 'identities' | 'groups' | 'lobbies' | 'fault_kinds' | 'planned'> {
  const { identities, groups, lobbies, players } = emulator.records;
  return {
    identities: [...identities].map(([identity_id, { profile }]) => ({
      identity_id,
      display_name: profile.display_name,
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

/** Who sends requests with a token: an identity by its name, or a lobby. */
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

/** The newest valid token of an identity; an expired one only if it has no other. */
export function bearerOf(who_id: string | null, { bearers }: WorldRecords): SeenBearer {
  const own = [...bearers].filter(([, { id }]) => id === who_id).reverse();
  const [token, { expired }] = own.find(([, bearer]) => !bearer.expired) ?? own[0] ?? NO_BEARER;
  return { token, expired };
}

const NO_BEARER = ['', { expired: true }] as const;
