import { asyncScheduler, defer, map, repeat, timer, type Observable, type SchedulerLike } from 'rxjs';
import {
  checkOptions,
  isInputError,
  milliseconds,
  schedulerLike,
  type Options,
} from '../../../error/index.js';
import type { Emulator } from '../emulator.js';
import { randomNumbers, seedNumber } from '../world/index.js';
import { personName } from './person-name.js';
import type { SeededWorld } from './seed-world.js';

/**
 * A simulated activity: a friend's presence or profile changes, someone joins or leaves the group,
 * a chat message arrives, or the identity is sent to the lobby.
 */
export type Activity = 'presence' | 'profile' | 'members' | 'chat' | 'lobby';

/** The options of {@link simulateActivity}. All are optional. */
export interface ActivityConfig {
  /**
   * The activities to choose from. An activity that is listed twice happens twice as often.
   * Default: all, mostly presence.
   */
  readonly activities?: readonly Activity[];
  /** The average time between two activities, in ms. It must be more than 0. Default 1,000. */
  readonly every?: number;
  /** The seed, an integer. The same seed gives the same activities. Default 1. */
  readonly seed?: number;
  /** The clock. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

const WEIGHTS: Readonly<Record<Activity, number>> = {
  presence: 3,
  profile: 2,
  members: 1,
  chat: 1,
  lobby: 1,
};
const ALL = Object.keys(WEIGHTS) as readonly Activity[];
const DEFAULT_ACTIVITIES = ALL.flatMap(activity => Array<Activity>(WEIGHTS[activity]).fill(activity));

const OPTIONS: Options<ActivityConfig> = {
  activities: {
    name: `a non-empty array of ${ALL.join(', ')}`,
    is: u => Array.isArray(u) && u.length > 0 && u.every(listed => ALL.some(activity => activity === listed)),
  },
  every: { name: `${milliseconds.name}, but not 0`, is: u => milliseconds.is(u) && u > 0 },
  seed: seedNumber,
  scheduler: schedulerLike,
};

const BIOS = [
  'Looping.',
  'Compiling.',
  'Gone fishing.',
  'Be right back.',
  'On a quest.',
  'Looking for a party.',
];

/**
 * Simulates activity in a seeded world. The Observable is cold, so activities happen only while it
 * has a subscriber. It emits each activity after it has happened, and never completes. Throws an
 * `InputError` if the config is invalid.
 *
 * @example
 * const activity = simulateActivity(emulator, seedWorld(emulator), { every: 500 }).subscribe();
 */
export function simulateActivity(
  emulator: Emulator,
  world: SeededWorld,
  config: ActivityConfig = {},
): Observable<Activity> {
  checkOptions(config, OPTIONS);
  const { activities = DEFAULT_ACTIVITIES, every = 1_000, seed = 1, scheduler = asyncScheduler } = config;
  return defer(() => {
    const random = randomNumbers(seed);
    const actions = createActions(emulator, world, random, seed);
    return defer(() => timer(every * (0.5 + random()), scheduler)).pipe(
      map(() => {
        const activity = pick(activities, random);
        actions[activity]();
        return activity;
      }),
      repeat(),
    );
  });
}

function createActions(
  emulator: Emulator,
  { identityId, friendIds, groupId, lobbyId }: SeededWorld,
  random: () => number,
  seed: number,
): Readonly<Record<Activity, () => void>> {
  // In a world of one member, the identity has no friends.
  const people = friendIds.length > 0 ? friendIds : [identityId];
  const guests: string[] = [];
  const formerGuests: string[] = [];
  const current = new Map<string, string>();
  let names = seed * 31 + 137;

  /**
   * Picks one of these values, but not the current one. Nobody would see an update without a
   * change.
   */
  const change = (key: string, values: readonly string[]): string => {
    const others = values.filter(other => other !== current.get(key));
    const value = pick(others, random);
    current.set(key, value);
    return value;
  };

  return {
    presence: () => {
      const id = pick(people, random);
      emulator.updatePresence(id, { status: change(id, ['online', 'away', 'offline']) });
    },
    profile: () => {
      const id = pick(people, random);
      emulator.updateProfile(id, { bio: change(`bio of ${id}`, BIOS) });
    },
    members: () => {
      const isLeaving = guests.length > 2 || (guests.length > 0 && random() < 0.5);
      if (isLeaving) {
        const guest = guests.shift()!;
        emulator.leave(groupId, guest);
        formerGuests.push(guest);
        return;
      }
      // Former guests come back, so that the world does not grow forever.
      const former = formerGuests.length > 3 ? formerGuests.shift() : undefined;
      const guest = former ?? emulator.addIdentity({ display_name: personName(names++) }).identity_id;
      guests.push(guest);
      emulator.join(groupId, guest);
    },
    chat: () => {
      const url = `https://hub.example/threads/${Math.floor(random() * 100)}`;
      const note = { title: personName(names++), description: 'Are you coming?', thumbnail_url: '', url };
      emulator.publish(identityId, { chat_message: { thread: url } }, note);
    },
    lobby: () => {
      try {
        emulator.sendLobbyJoin(identityId, lobbyId);
      } catch (error) {
        // The lobby is full. No player is sent there until a slot is free again.
        if (!isInputError(error)) throw error;
      }
    },
  };
}

function pick<T>(items: readonly T[], random: () => number): T {
  return items[Math.floor(random() * items.length)]!;
}
