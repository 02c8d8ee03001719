// The main demo, on the embedded emulator: reads a group page by page, then follows its members and
// the live events of a player, and confirms the players who join the lobby.
import { parseArgs } from 'node:util';
import { concat, finalize, fromEvent, ignoreElements, merge, takeUntil, tap, timer } from 'rxjs';
import { createClient } from 'lobby-rx';
import { confirmPlayers } from './lobby-joins.js';
import { followRoster, pageThrough } from './members.js';
import { createScreen } from './screen.js';
import { startService } from './service.js';
import { followUpdates } from './updates.js';

// The reader of our output may close the pipe at any time, as head does.
process.stdout.on('error', () => process.exit());

const duration = readDuration(process.argv.slice(2));
const { server, emulator, world, activity$ } = await startService(duration);
const screen = createScreen(process.stdout);

// A client is for one token: this one for a player, the other one for the lobby server.
const player = createClient({ ...server.urls, token: world.identityToken });
const lobby = createClient({ ...server.urls, token: world.lobbyToken });
const { feed } = player.events;

screen.title('lobby-rx', `the service, emulated on ${server.url}`);

const live$ = merge(
  activity$,
  feed.status$.pipe(tap(({ state }) => screen.line('status', 'the feed', `is ${state}`))),
  followUpdates(feed, screen),
  followRoster(player.group, world, screen),
  confirmPlayers(feed, lobby, screen, duration),
);
const stop$ = merge(timer(duration), fromEvent(process, 'SIGINT'), fromEvent(process, 'SIGTERM'));

concat(pageThrough(player.group, world, screen), live$)
  .pipe(
    ignoreElements(),
    takeUntil(stop$),
    finalize(() => {
      screen.summary(emulator.requests.length);
      void server.close();
    }),
  )
  .subscribe({
    error: (error: unknown) => {
      console.error(error);
      process.exitCode = 1;
    },
  });

/** `--seconds N`: how long the demo runs, here in ms. */
function readDuration(args: string[]): number {
  try {
    const { values } = parseArgs({ args, options: { seconds: { type: 'string', default: '20' } } });
    const seconds = Number(values.seconds);
    if (!(seconds >= 5 && seconds <= 3600))
      throw new Error(`--seconds must be from 5 to 3600; got '${values.seconds}'`);
    return seconds * 1000;
  } catch (error) {
    console.error(`npm start: ${(error as Error).message}`);
    process.exit(2);
  }
}
