import { ignoreElements, map, merge, take, timer } from 'rxjs';
import { createEmulator, seedWorld, simulateActivity } from 'lobby-rx/emulator';

/** The world that the show takes place in: 137 members, a life of its own, and a lobby join every eighth of the time. */
export function createStage(seconds: number) {
  const beat = (seconds * 1000) / 8;
  // Player tokens are good for two minutes; here for two beats, so that one can be seen to expire.
  const emulator = createEmulator({ reservation: 2 * beat });
  const world = seedWorld(emulator, { members: 137 });

  const activity$ = simulateActivity(emulator, world, {
    every: Math.max(200, beat / 4),
    activities: ['presence', 'presence', 'profile', 'members', 'chat'],
  });
  const joins$ = timer(beat / 2, beat).pipe(
    take(5),
    map(() => emulator.sendLobbyJoin(world.identityId, world.lobbyId)),
  );
  return { emulator, world, play: merge(activity$, joins$).pipe(ignoreElements()) };
}
