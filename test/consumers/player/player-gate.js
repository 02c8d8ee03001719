// A gate in a process of its own, so that it can be killed: node player-gate.js SERVICE PORT [FOLDER]
import { createServer } from 'node:http';
import { createClient } from 'lobby-rx';
import { lobbyGate, slotFiles } from 'lobby-rx/lobby-server';

const [, , url, port, folder] = process.argv;
const client = createClient({ url, token: 'LOBBY', timeout: 30_000 });
const freeSlot = player_token => client.matchmaker.players.disconnected({ player_token });
const server = createServer();
lobbyGate({
  server,
  ...(folder ? slotFiles({ client, folder, gate: 'a' }) : { client, freeSlot }),
  grace: 60_000,
  // Hundreds of players come from this one machine.
  addressOf: ({ url }) => new URL(url, 'http://gate').searchParams.get('from') ?? '',
}).subscribe(player => player.message$.subscribe(message => player.send(message)));
server.listen(Number(port), '127.0.0.1', () => process.send('up'));
process.on('disconnect', () => process.exit());
