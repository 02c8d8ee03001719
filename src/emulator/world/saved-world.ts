import { jsonObject } from '../../protocol/index.js';
import type { Check } from '../../error/index.js';
import type { Bearer, GroupRecord, IdentityRecord, LobbyRecord, PlayerRecord, Records } from './records.js';

type Entries<T> = readonly (readonly [id: string, record: T])[];

/** The world of an emulator as plain JSON: write it to a file, and `createEmulator({ saved })` continues from it. */
export interface SavedWorld {
  /** The latest value of `tick`, in ms. All indexes of the restored world are newer. */
  readonly tick: number;
  readonly identities: Entries<Omit<IdentityRecord, 'friends'> & { readonly friends: readonly string[] }>;
  readonly groups: Entries<Omit<GroupRecord, 'members'> & { readonly members: Entries<number> }>;
  readonly lobbies: Entries<LobbyRecord>;
  readonly players: Entries<PlayerRecord>;
  readonly bearers: Entries<Bearer>;
}

const LISTS = [
  'identities',
  'groups',
  'lobbies',
  'players',
  'bearers',
] as const satisfies readonly (keyof Records)[];

/** Checks only the top level: a saved world is large, and is not written by hand. */
export const savedWorld: Check = {
  name: 'a world returned by emulator.save()',
  is: u => jsonObject.is(u) && Number.isFinite(u.tick) && LISTS.every(name => Array.isArray(u[name])),
};

/** A copy of the records as they are now. */
export function saveRecords(records: Records, tick: number): SavedWorld {
  return structuredClone({
    tick,
    identities: [...records.identities].map(
      ([id, record]) => [id, { ...record, friends: [...record.friends] }] as const,
    ),
    groups: [...records.groups].map(
      ([id, record]) => [id, { ...record, members: [...record.members] }] as const,
    ),
    lobbies: [...records.lobbies],
    players: [...records.players],
    bearers: [...records.bearers],
  });
}

/** A copy of the records of a saved world; empty records if there is none. */
export function restoreRecords(saved: SavedWorld | undefined): Records {
  // jsdom has no structuredClone, and a world that starts empty does not need it.
  const copy = saved && structuredClone(saved);
  return {
    identities: new Map(
      copy?.identities.map(([id, record]) => [id, { ...record, friends: new Set(record.friends) }]),
    ),
    groups: new Map(
      copy?.groups.map(([id, record]) => [id, { ...record, members: new Map(record.members) }]),
    ),
    lobbies: new Map(copy?.lobbies),
    players: new Map(copy?.players),
    bearers: new Map(copy?.bearers),
  };
}
