import type { PlayerRecord } from './player-record.js';
import type { Bearer, GroupRecord, IdentityRecord, LobbyRecord } from './records.js';

type Entries<T> = readonly (readonly [id: string, record: T])[];

/** A world as plain JSON, to be written to a file and made an emulator of again. */
export interface SavedWorld {
  /** The latest moment that was given out: no index of the restored world is behind it. */
  readonly tick: number;
  readonly identities: Entries<Omit<IdentityRecord, 'friends'> & { readonly friends: readonly string[] }>;
  readonly groups: Entries<Omit<GroupRecord, 'members'> & { readonly members: Entries<number> }>;
  readonly lobbies: Entries<LobbyRecord>;
  readonly players: Entries<PlayerRecord>;
  readonly bearers: Entries<Bearer>;
}
