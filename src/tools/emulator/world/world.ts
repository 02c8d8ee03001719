import { asyncScheduler, type SchedulerLike } from 'rxjs';
import {
  aFunction,
  aPlainValue,
  atOnce,
  definedOptions,
  duration,
  schedulerLike,
  type Options,
} from '../../../error/index.js';
import { Changes } from './changes.js';
import { randomNumbers, seedNumber } from './random-numbers.js';
import type { Records, WorldRecords } from './records.js';
import { restoreRecords, savedWorld, saveRecords, type SavedWorld } from './saved-world.js';

/** The options of an emulated world. All are optional. */
export interface WorldConfig {
  /**
   * How long events are kept, in ms. A watch with an older index is answered at once, without
   * events. Default 300,000.
   */
  readonly retention?: number;
  /** How long a player token stays reserved until it expires, in ms. Default 120,000. */
  readonly reservation?: number;
  /** The seed of all ids and tokens, an integer. The same seed gives the same world. Default 1. */
  readonly seed?: number;
  /**
   * Returns a random number from 0 to 1, excluding 1, for ids and tokens. By default `seed`
   * determines the numbers, so anyone can guess the tokens. If others can reach the emulator, pass
   * a function whose numbers nobody can guess.
   */
  readonly random?: () => number;
  /** A world to continue from, as `emulator.save()` returned it. Default: an empty world. */
  readonly saved?: SavedWorld;
  /**
   * The clock. With a `VirtualTimeScheduler`, tests do not have to wait. Default `asyncScheduler`.
   */
  readonly scheduler?: SchedulerLike;
}

const DEFAULTS = { retention: 300_000, reservation: 120_000, seed: 1, scheduler: asyncScheduler };

/** Everything that exists in the emulated service. Commands change it, and answers read it. */
export interface World extends Records, Required<Omit<WorldConfig, 'saved'>> {
  /** The changes for which blocking watches wait. */
  readonly changes: Changes;
  /** The scheduler's time, in ms since 1970. */
  readonly now: () => number;
  /**
   * The time in ms. It is always later than the previous value, so that no two changes share an
   * index.
   */
  readonly tick: () => number;
  /** The last value of `tick`. */
  readonly lastTick: () => number;
}

export const worldOptions: Options<WorldConfig> = {
  retention: duration,
  reservation: duration,
  seed: seedNumber,
  random: aFunction,
  saved: savedWorld,
  scheduler: schedulerLike,
};

/** Creates a world from a checked config. */
export function createWorld(config: WorldConfig): World {
  const { retention, reservation, seed, saved, scheduler, random } = {
    ...DEFAULTS,
    ...definedOptions(config),
  };
  const now = () => scheduler.now();
  let last = Math.floor(saved?.tick ?? 0);
  return {
    ...restoreRecords(saved),
    retention,
    reservation,
    seed,
    scheduler,
    changes: new Changes(),
    // A restored world must not issue the ids and tokens of the saved one again.
    random: random ? atOnce('random', random, aPlainValue) : randomNumbers(seed + last),
    now,
    tick: () => {
      last = Math.max(last + 1, Math.floor(now()));
      return last;
    },
    lastTick: () => last,
  };
}

/** The part of a world that `Emulator.records` shows. */
export function recordsOf({ identities, groups, lobbies, players, bearers, lastTick }: World): WorldRecords {
  return {
    identities,
    groups,
    lobbies,
    players,
    bearers,
    get tick() {
      return lastTick();
    },
  };
}

/** Returns a copy of the current world. */
export function saveWorld(world: World): SavedWorld {
  return saveRecords(world, world.tick());
}
