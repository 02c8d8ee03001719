// A small game lobby: whoever shows a valid token walks about on a board, and talks. To be copied, and changed.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { fromEvent, lastValueFrom, merge, share, take, takeUntil, tap } from 'rxjs';
import {
  Acknowledged,
  backoff,
  createClient,
  endpoint,
  isStatusError,
  nonEmptyString,
  struct,
} from 'lobby-rx';
import { lobbyGate, players, type GateLogEntry, type LobbyPlayers } from 'lobby-rx/lobby-server';
import { playLobby } from './play-lobby.js';

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });
const { LOBBY_MATCHMAKER_URL: url, LOBBY_TOKEN: token } = process.env;
if (!url || !token) {
  console.error(
    "Set LOBBY_MATCHMAKER_URL, and LOBBY_TOKEN to the lobby's token; lobby-rx emulate prints both.",
  );
  process.exit(2);
}
const client = createClient({ groupUrl: url, matchmakerUrl: url, apiUrl: url, token });

// Not in the service's document, but its servers have it: it frees the slot of a player who has gone.
const disconnected = endpoint({
  method: 'POST',
  service: 'matchmaker',
  path: '/v1/players/disconnected',
  body: struct({ player_token: nonEmptyString }),
  response: Acknowledged,
});
// Ten times it tries, unless the service says no.
const free = (player_token: string) =>
  client
    .request(disconnected, { player_token })
    .pipe(
      backoff({ when: (error, attempt) => attempt < 10 && !(isStatusError(error) && error.status === 400) }),
    );

const log = (entry: GateLogEntry) => {
  if (entry.kind === 'refused') console.log(`refused: ${entry.reason}`);
  if (entry.kind === 'refused' && entry.reason === 'unauthorized') console.log("Is LOBBY_TOKEN the lobby's?");
  if (entry.kind === 'hook_failed') console.log(`a slot was not freed: ${entry.error}`);
};

const server = createServer((_, response) =>
  response.writeHead(426).end('This is a lobby: come by WebSocket.'),
);
const stop$ = merge(fromEvent(process, 'SIGINT'), fromEvent(process, 'SIGTERM')).pipe(take(1));
const gate$ = lobbyGate({ server, client, firstMessage: true, onGone: free, onUnknown: free, log }).pipe(
  takeUntil(stop$),
  share(),
);

let playing: LobbyPlayers;
const over = lastValueFrom(
  gate$.pipe(
    players(),
    tap(lobby => {
      playing = lobby;
      console.log(`${lobby.count} playing`);
    }),
  ),
);
playLobby(gate$).subscribe();
stop$.subscribe(() => {
  for (const socket of playing.sockets) socket.close(1001, 'the lobby closes');
});

server.listen(Number(values.port), '127.0.0.1', () => {
  console.log(`open on ws://127.0.0.1:${(server.address() as AddressInfo).port}/?name=…&token=…`);
});
// Nobody comes in any more, and everyone has left: what is still open are slots that are being freed.
await over;
server.close();
