import { describe, InputError } from '../../../error/index.js';
import type { GroupHandle, Lobby, Port, Profile } from '../../../protocol/index.js';

/** An event in an identity's log. `stamp` is a value of `World.tick` and orders all changes. */
export interface LoggedEvent {
  readonly stamp: number;
  readonly event: { readonly kind: object; readonly ts: string; readonly notification?: unknown };
}

export interface IdentityRecord {
  profile: Profile;
  /** The `stamp` of the latest change of the profile. */
  changedAt: number;
  readonly friends: Set<string>;
  log: LoggedEvent[];
}

export interface GroupRecord {
  readonly handle: GroupHandle;
  /** The `stamp` at which each member joined, in the order of joining. */
  readonly members: Map<string, number>;
  /** The `stamp` of the latest join or leave. */
  changedAt: number;
}

export interface LobbyRecord {
  readonly lobby: Lobby;
  readonly ports: Readonly<Record<string, Port>>;
  readonly maxPlayers: number;
}

/** A player token that was issued. Use `stateOf` to find out whether it has expired. */
export interface PlayerRecord {
  readonly lobby_id: string;
  /** The time of the reservation, in ms since 1970. */
  readonly reservedAt: number;
  state: 'reserved' | 'connected' | 'removed';
}

/** The owner of a bearer token. */
export interface Bearer {
  readonly kind: 'identity' | 'lobby';
  readonly id: string;
  expired: boolean;
}

/** Everything that exists, by id. Players and bearers are by token. */
export interface Records {
  readonly identities: Map<string, IdentityRecord>;
  readonly groups: Map<string, GroupRecord>;
  readonly lobbies: Map<string, LobbyRecord>;
  readonly players: Map<string, PlayerRecord>;
  readonly bearers: Map<string, Bearer>;
}

/**
 * Everything that exists in an emulator, by id. Players and bearers are by token. It is the world
 * itself, not a copy. Only the commands of the emulator may change it.
 */
export interface WorldRecords {
  /** The time of the last change, in ms since 1970. Each change has a later time. */
  readonly tick: number;
  readonly identities: ReadonlyMap<string, Readonly<IdentityRecord>>;
  readonly groups: ReadonlyMap<string, Readonly<GroupRecord>>;
  readonly lobbies: ReadonlyMap<string, LobbyRecord>;
  readonly players: ReadonlyMap<string, Readonly<PlayerRecord>>;
  readonly bearers: ReadonlyMap<string, Readonly<Bearer>>;
}

/** The record with this id. Throws an `InputError` that names the argument if it does not exist. */
export function findRecord<R>(records: ReadonlyMap<string, R>, argument: string, id: string): R {
  const record = records.get(id);
  if (!record) throw new InputError(argument, 'one that this emulator has issued', describe(id));
  return record;
}
