import { jsonObject } from '../../../protocol/index.js';
import type { Check } from '../../../error/index.js';
import type { Bearer, GroupRecord, IdentityRecord, LobbyRecord, PlayerRecord, Records } from './records.js';

type Entries<T> = readonly (readonly [id: string, record: T])[];

/**
 * The world of an emulator as plain JSON. You can write it to a file. `createEmulator({ saved })`
 * continues from it.
 */
export interface SavedWorld {
  /** The latest value of `tick`, in ms. All indexes of the restored world are newer. */
  readonly tick: number;
  readonly identities: Entries<Omit<IdentityRecord, 'friends'> & { readonly friends: readonly string[] }>;
  readonly groups: Entries<Omit<GroupRecord, 'members'> & { readonly members: Entries<number> }>;
  readonly lobbies: Entries<LobbyRecord>;
  readonly players: Entries<PlayerRecord>;
  readonly bearers: Entries<Bearer>;
}

type Fields = Readonly<Record<string, unknown>>;
const isList = (u: unknown): u is readonly unknown[] => Array.isArray(u);

/** For each kind of record, checks the fields that are needed to restore and to find a record. */
const RECORDS: Readonly<Record<keyof Records, (record: Fields) => boolean>> = {
  identities: ({ profile, friends, log }) =>
    jsonObject.is(profile) && isList(friends) && isList(log) && log.every(jsonObject.is),
  groups: ({ handle, members }) => jsonObject.is(handle) && isList(members) && members.every(isList),
  lobbies: ({ lobby, ports }) => jsonObject.is(lobby) && jsonObject.is(ports),
  players: ({ lobby_id, reservedAt }) => typeof lobby_id === 'string' && Number.isFinite(reservedAt),
  bearers: ({ id, expired }) => typeof id === 'string' && typeof expired === 'boolean',
};

/**
 * Rejects a file that was cut off, or a wrong file. It does not check every field, because nobody
 * writes a saved world by hand.
 */
export const savedWorld: Check = {
  name: 'a world returned by emulator.save()',
  is: u =>
    jsonObject.is(u) &&
    Number.isFinite(u.tick) &&
    // No date of JavaScript is later.
    Math.abs(u.tick as number) < 8e15 &&
    Object.entries(RECORDS).every(([name, isRecord]) => {
      const entries = u[name];
      return isList(entries) && entries.every(entry => isEntry(entry, isRecord));
    }),
};

function isEntry(entry: unknown, isRecord: (record: Fields) => boolean): boolean {
  if (!isList(entry)) return false;
  const [id, record] = entry;
  return typeof id === 'string' && jsonObject.is(record) && isRecord(record);
}

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

/** A copy of the records of a saved world. Empty records if `saved` is `undefined`. */
export function restoreRecords(saved: SavedWorld | undefined): Records {
  // An empty world is not cloned, because jsdom has no structuredClone.
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
