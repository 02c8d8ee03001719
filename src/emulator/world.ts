import { asyncScheduler, Subject } from 'rxjs';
import { checkArgument, milliseconds } from '../error/index.js';
import { positiveInteger } from '../protocol/index.js';
import type { EmulatorConfig } from './emulator-config.js';
import type { PlayerRecord } from './player-record.js';
import type { Bearer, GroupRecord, IdentityRecord, LobbyRecord } from './records.js';
import { randomNumbers } from './random-numbers.js';

/** Everything there is in the emulated service. Commands change it; answers are read from it. */
export interface World {
  readonly config: Required<Omit<EmulatorConfig, 'saved'>>;
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
  const settings: World['config'] = {
    blockTime: config.blockTime ?? 40_000,
    collectTime: config.collectTime ?? 100,
    retention: config.retention ?? 300_000,
    reservation: config.reservation ?? 120_000,
    pageSize: config.pageSize ?? 16,
    seed: config.seed ?? 1,
    scheduler: config.scheduler ?? asyncScheduler,
  };
  const now = () => settings.scheduler.now();
  for (const name of ['blockTime', 'collectTime', 'retention', 'reservation'] as const) {
    checkArgument(name, milliseconds, settings[name]);
  }
  checkArgument('pageSize', positiveInteger, settings.pageSize);
  const saved = structuredClone(config.saved);
  let last = saved?.tick ?? 0;
  return {
    config: settings,
    identities: new Map(
      saved?.identities.map(([id, record]) => [id, { ...record, friends: new Set(record.friends) }]),
    ),
    groups: new Map(
      saved?.groups.map(([id, record]) => [id, { ...record, members: new Map(record.members) }]),
    ),
    lobbies: new Map(saved?.lobbies),
    players: new Map(saved?.players),
    bearers: new Map(saved?.bearers),
    changed$: new Subject(),
    random: randomNumbers(settings.seed),
    now,
    tick: () => (last = Math.max(last + 1, now())),
  };
}
