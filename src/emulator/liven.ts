import { asyncScheduler, defer, map, repeat, timer, type Observable, type SchedulerLike } from 'rxjs';
import { isInputError } from '../error/index.js';
import type { Emulator } from './emulator.js';
import { personName } from './person-name.js';
import { randomNumbers } from './random-numbers.js';
import type { SeededWorld } from './seeded-world.js';

/** The things that happen in a world that moves by itself. */
export type Move = 'presence' | 'profile' | 'members' | 'chat' | 'lobby';

/** How a world moves. */
export interface LivenConfig {
  /** What may happen; a name that stands twice happens twice as often. Default: everything, presence most often. */
  readonly moves?: readonly Move[];
  /** How long it is between two moves on average, in ms. Default 1,000. */
  readonly every?: number;
  /** The same seed, the same story. Default 1. */
  readonly seed?: number;
  /** What time is read from. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

const MOVES: readonly Move[] = [
  'presence',
  'presence',
  'presence',
  'profile',
  'profile',
  'members',
  'chat',
  'lobby',
];
const BIOS = [
  'Looping.',
  'Compiling.',
  'Gone fishing.',
  'Be right back.',
  'On a quest.',
  'Looking for a party.',
];

/**
 * Makes a seeded world move by itself: presences and profiles of friends change, members come and go, chat messages
 * arrive, the identity is sent to the lobby. Cold: it moves while subscribed to, tells each move, and never completes.
 *
 * @example
 * const moving = liven(emulator, seedWorld(emulator), { every: 500 }).subscribe();
 */
export function liven(emulator: Emulator, world: SeededWorld, config: LivenConfig = {}): Observable<Move> {
  const { moves = MOVES, every = 1_000, seed = 1, scheduler = asyncScheduler } = config;
  return defer(() => {
    const random = randomNumbers(seed);
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
    const guests: string[] = [];
    const away: string[] = [];
    const shown = new Map<string, string>();
    let people = seed * 31 + 137;

    /** One of these for someone, and another one than the last time: what stays the same is no news. */
    const change = (id: string, values: readonly string[]): string => {
      const value = pick(values.filter(other => other !== shown.get(id)));
      shown.set(id, value);
      return value;
    };

    const make: Readonly<Record<Move, () => void>> = {
      presence: () => {
        const id = pick(world.friendIds);
        emulator.updatePresence(id, { status: change(id, ['online', 'away', 'offline']) });
      },
      profile: () => {
        const id = pick(world.friendIds);
        emulator.updateProfile(id, { bio: change(`bio of ${id}`, BIOS) });
      },
      members: () => {
        const leaving =
          guests.length > 2 || (guests.length > 0 && random() < 0.5) ? guests.shift() : undefined;
        if (leaving !== undefined) {
          emulator.leave(world.groupId, leaving);
          away.push(leaving);
          return;
        }
        // Whoever was here before comes back, so that a world that moves for weeks does not grow.
        const coming = away.length > 3 ? away.shift() : undefined;
        const guest = coming ?? emulator.addIdentity({ display_name: personName(people++) }).identity_id;
        guests.push(guest);
        emulator.join(world.groupId, guest);
      },
      chat: () => {
        const url = `https://hub.example/threads/${Math.floor(random() * 100)}`;
        const note = { title: personName(people++), description: 'Are you coming?', thumbnail_url: '', url };
        emulator.publish(world.identityId, { chat_message: { thread: url } }, note);
      },
      lobby: () => {
        try {
          emulator.sendLobbyJoin(world.identityId, world.lobbyId);
        } catch (error) {
          // A full lobby is part of the story: nobody is sent to it until a slot is free again.
          if (!isInputError(error)) throw error;
        }
      },
    };

    return defer(() => timer(every * (0.5 + random()), scheduler)).pipe(
      map(() => {
        const move = pick(moves);
        make[move]();
        return move;
      }),
      repeat(),
    );
  });
}
