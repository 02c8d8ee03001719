import type { GroupHandle, Lobby, Port, Profile } from '../protocol/index.js';

/** An event as it waits to be read: `stamp` is its place in the order of everything. */
export interface LoggedEvent {
  readonly stamp: number;
  readonly event: { readonly kind: object; readonly ts: string; readonly notification?: unknown };
}

export interface IdentityRecord {
  profile: Profile;
  changedAt: number;
  readonly friends: Set<string>;
  log: LoggedEvent[];
}

export interface GroupRecord {
  readonly handle: GroupHandle;
  /** When each joined, in the order in which they did. */
  readonly members: Map<string, number>;
  changedAt: number;
}

export interface LobbyRecord {
  readonly lobby: Lobby;
  readonly ports: Readonly<Record<string, Port>>;
  readonly maxPlayers: number;
}

/** Whom a bearer token speaks for. */
export interface Bearer {
  readonly kind: 'identity' | 'lobby';
  readonly id: string;
  expired: boolean;
}
