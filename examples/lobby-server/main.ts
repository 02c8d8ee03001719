// A small game lobby to copy and adapt: players with a valid token move on a board and chat.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fromEvent, merge } from 'rxjs';
import { createClient, type Client } from 'lobby-rx';
import { lobbyGate, players, type GateLogEntry } from 'lobby-rx/lobby-server';
import { clientMetrics, gateMetrics } from 'lobby-rx/opentelemetry';
import { METRICS_PORT, showMetrics } from '../show-metrics.js';
import { fail, readOptions } from './options.js';
import { playLobby } from './play-lobby.js';
import { emulatedService, type Service } from './service.js';

const options = readOptions(process.argv.slice(2), process.env);

if (options.metrics) console.log(`metrics: ${await showMetrics(METRICS_PORT)}`);

const server = createServer((_, response) =>
  response.writeHead(426).end('This is a lobby: connect by WebSocket.'),
);
const port = await portOf(server.listen(options.port, '127.0.0.1'));
console.log(`open on ws://127.0.0.1:${port}/?name=…`);
const service: Service = options.service ?? (await emulatedService(port));
const client = clientOf(service);
if (options.service)
  console.log(
    `using LOBBY_RX_URL=${service.url} with LOBBY_TOKEN, which must be the lobby's. Unset both to emulate a service.`,
  );

const log = (entry: GateLogEntry) => {
  if (entry.kind === 'refused') console.log(`refused: ${entry.reason}`);
  if (entry.kind === 'refused' && entry.reason === 'lobby_unauthorized')
    console.log("The service refuses LOBBY_TOKEN. It must be the lobby's token, not an identity's.");
  if (entry.kind === 'away' || entry.kind === 'returned') console.log(`a player is ${entry.kind}`);
  if (entry.kind === 'hook_failed') console.log(`a slot was not freed: ${entry.error}`);
};

const gate$ = lobbyGate({
  server,
  client,
  freeSlot: player_token => client.matchmaker.players.disconnected({ player_token }),
  grace: 30_000,
  drain$: merge(fromEvent(process, 'SIGINT'), fromEvent(process, 'SIGTERM')),
  log,
});
// Without effect if no metrics are wanted.
gate$.stats$.subscribe(gateMetrics());
gate$.pipe(players()).subscribe(({ count }) => console.log(`${count} playing`));
playLobby(gate$).subscribe({
  // Everyone has left, and their slots are free.
  complete: () => {
    server.close();
    // A stranger may hold a connection on which nothing is sent.
    server.closeAllConnections();
    service.close?.();
  },
});

/** The port that a server listens on. If it cannot be used, the process ends. */
async function portOf(listening: Server): Promise<number> {
  try {
    await once(listening, 'listening');
    return (listening.address() as AddressInfo).port;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'EADDRINUSE' ? 'is already in use' : `cannot be used: ${code}`;
    console.error(`Port ${options.port} ${why}; choose another one: npm run lobby -- --port 8081`);
    process.exit(1);
  }
}

/** The client of the lobby. If the URL or the token is invalid, the process ends. */
function clientOf({ url, token }: Service): Client {
  try {
    return createClient({ url, token, log: clientMetrics() });
  } catch (error) {
    return fail(`LOBBY_RX_URL or LOBBY_TOKEN cannot be used: ${(error as Error).message}`);
  }
}
