// The main job, on the embedded emulator: page through a group, follow the live feed, follow each lobby join through.
import {
  concatMap,
  endWith,
  finalize,
  fromEvent,
  ignoreElements,
  merge,
  share,
  takeUntil,
  tap,
  timer,
} from 'rxjs';
import { createClient } from 'lobby-rx';
import { listen } from 'lobby-rx/emulator';
import { createStage } from './stage.js';
import { followLobbyJoins } from './follow-lobby-joins.js';
import { followMembers } from './follow-members.js';
import { followProfiles } from './follow-profiles.js';
import { pageThrough } from './page-through.js';
import { readOptions } from './read-options.js';
import { createScreen } from './screen.js';
import { createSummary } from './summary.js';

// Whoever reads the show may stop at any time, as `head` does.
process.stdout.on('error', () => process.exit());

const { seconds } = readOptions(process.argv.slice(2));
const { emulator, world, play } = createStage(seconds);
const server = await listen(emulator);
const screen = createScreen(process.stdout);
const summary = createSummary();

// One client for the player, with an identity's token, and one for the lobby's server, with the lobby's.
const player = createClient({ ...server.urls, token: world.identityToken });
const gate = createClient({ ...server.urls, token: world.lobbyToken });

screen.title('lobby-rx', `the service, emulated on ${server.url}`);

const stop$ = merge(timer(seconds * 1000), fromEvent(process, 'SIGINT'), fromEvent(process, 'SIGTERM')).pipe(
  share(),
);
const { feed } = player.events;
const live$ = merge(
  play,
  feed.status$.pipe(tap(status => screen.status(status))),
  followProfiles(feed, screen, summary),
  followMembers(player.group, world.groupId, screen, summary),
  followLobbyJoins(feed, gate, screen, summary, seconds),
);

pageThrough(player.group, world, screen, summary)
  .pipe(
    ignoreElements(),
    endWith(undefined),
    concatMap(() => live$),
    takeUntil(stop$),
    finalize(() => {
      screen.summary(summary, emulator.requests.length);
      void server.close();
    }),
  )
  .subscribe({
    error: (error: unknown) => {
      console.error(error);
      process.exitCode = 1;
    },
  });
