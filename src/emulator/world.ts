import { asyncScheduler, Subject } from 'rxjs';
import type { GroupHandle, Lobby, Port, Profile } from '../protocol/index.js';
import type { EmulatorConfig } from './emulator-config.js';
import type { PlayerRecord } from './player-record.js';
import { randomNumbers } from './random-numbers.js';

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

/** Everything there is in the emulated service. Commands change it; answers are read from it. */
export interface World {
  readonly config: Required<EmulatorConfig>;
  readonly identities: Map<string, IdentityRecord>;
  readonly groups: Map<string, GroupRecord>;
  readonly lobbies: Map<string, LobbyRecord>;
  readonly players: Map<string, PlayerRecord>;
  readonly bearers: Map<string, Bearer>;
  /** The ids of identities and groups as something about them changes: what blocking watches wait for. */
  readonly changed$: Subject<string>;
  readonly random: () => number;
  readonly now: () => number;
  /** A moment in ms that is later than every one it has given before, so that no index ever repeats. */
  readonly tick: () => number;
}

export function createWorld(config: EmulatorConfig): World {
  const settings: Required<EmulatorConfig> = {
    blockTime: config.blockTime ?? 40_000,
    collectTime: config.collectTime ?? 100,
    retention: config.retention ?? 300_000,
    reservation: config.reservation ?? 120_000,
    pageSize: config.pageSize ?? 16,
    seed: config.seed ?? 1,
    scheduler: config.scheduler ?? asyncScheduler,
  };
  const now = () => settings.scheduler.now();
  let last = 0;
  return {
    config: settings,
    identities: new Map(),
    groups: new Map(),
    lobbies: new Map(),
    players: new Map(),
    bearers: new Map(),
    changed$: new Subject(),
    random: randomNumbers(settings.seed),
    now,
    tick: () => (last = Math.max(last + 1, now())),
  };
}
