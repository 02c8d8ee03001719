import { ignoreElements, map, merge, take, timer } from 'rxjs';
import { createEmulator, listen, seedWorld, simulateActivity } from 'lobby-rx/emulator';

/**
 * Starts the emulated service over real HTTP, with a group of 137 members. While it is subscribed
 * to, `activity$`
 * simulates activity and sends five lobby joins over the duration (in ms) of the demo.
 */
export async function startService(duration: number) {
  const interval = duration / 8;
  // A player token is usually valid for two minutes. Here it is two intervals, so that one expires
  // in the demo.
  const emulator = createEmulator({ reservation: 2 * interval });
  const world = seedWorld(emulator, { members: 137 });

  const changes$ = simulateActivity(emulator, world, {
    every: Math.max(200, interval / 4),
    activities: ['presence', 'presence', 'profile', 'members', 'chat'],
  });
  const joins$ = timer(interval / 2, interval).pipe(
    take(5),
    map(() => emulator.sendLobbyJoin(world.identityId, world.lobbyId)),
  );
  const activity$ = merge(changes$, joins$).pipe(ignoreElements());
  return { server: await listen(emulator), emulator, world, activity$ };
}
