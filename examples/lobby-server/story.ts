// npm run record: a player whose network drops, by a WebSocket and by `lobbyConnection`, and a
// drawing of what has come of it.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { mergeMap, Subject, tap } from 'rxjs';
import { createClient, lobbyConnection } from 'lobby-rx';
import { createEmulator, listen, seedWorld } from 'lobby-rx/emulator';
import { lobbyGate } from 'lobby-rx/lobby-server';
import { WebSocket } from 'ws';
import { drawPicture, type Mark } from '../picture.js';

/** When the lobby says something to all, and when the network is down, in ms. */
const MESSAGES = [600, 1_400, 2_200, 6_400, 7_200, 8_000];
const DOWN = { from: 2_900, to: 4_900 };
const END_MS = 8_600;

const emulator = createEmulator();
const service = await listen(emulator);
const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
const world = seedWorld(emulator, { ports: { default: { hostname: '127.0.0.1', port, is_tls: false } } });
const client = createClient({ url: service.url, token: world.lobbyToken });

const says$ = new Subject<string>();
lobbyGate({
  server,
  client,
  freeSlot: player_token => client.matchmaker.players.disconnected({ player_token }),
  grace: 30_000,
})
  .pipe(mergeMap(player => says$.pipe(tap(text => player.send(text)))))
  .subscribe();

/** The network between the players and their lobby. */
let isDown = false;
const sockets = new Set<Socket>();
const network = createTcpServer(socket => {
  if (isDown) return void socket.destroy();
  const upstream = connect(port, '127.0.0.1');
  for (const [from, to] of [
    [socket, upstream],
    [upstream, socket],
  ] as const) {
    sockets.add(from);
    from.pipe(to);
    from.on('error', () => to.destroy()).on('close', () => to.destroy());
  }
}).listen(0, '127.0.0.1');
await once(network, 'listening');
const url = `ws://127.0.0.1:${(network.address() as AddressInfo).port}/`;
const start = performance.now();
const now = () => Math.round(performance.now() - start);

const byHand: Mark[] = [];
const connection: Mark[] = [];
let refusal: { readonly at: number; readonly text: string } | undefined;

/** As most people write it: after a close, it opens the next one with the token. */
function play(token: string): void {
  const socket = new WebSocket(url);
  socket.on('open', () => socket.send(token));
  socket.on('message', () => byHand.push({ at: now(), kind: 'event' }));
  socket.on('error', () => undefined);
  socket.on('close', (code, reason) => {
    byHand.push({ at: now(), kind: 'failed' });
    if (code >= 4_000) refusal = { at: now(), text: reason.toString() };
    else void setTimeout(700).then(() => play(token));
  });
}
play(world.playerToken);

const lobby = lobbyConnection({ url, token: emulator.reservePlayer(world.lobbyId) }, { WebSocket });
lobby.status$.subscribe(({ state, nextTry }) => {
  if (state !== 'live' && nextTry !== undefined) connection.push({ at: now(), kind: 'failed' });
});
const playing = lobby.subscribe(() => connection.push({ at: now(), kind: 'event' }));

async function speak(): Promise<void> {
  for (const at of MESSAGES) {
    await setTimeout(at - now());
    says$.next('A move.');
  }
}
async function drop(): Promise<void> {
  await setTimeout(DOWN.from - now());
  isDown = true;
  for (const socket of sockets) socket.destroy();
  await setTimeout(DOWN.to - now());
  isDown = false;
}
await Promise.all([speak(), drop(), setTimeout(END_MS)]);
playing.unsubscribe();

const came = connection.filter(({ kind }) => kind === 'event').length;
if (!refusal || came !== MESSAGES.length) throw new Error('this run tells another story');

drawPicture({
  name: 'player-story',
  summary:
    'The network of two players is down for a few seconds. A WebSocket by hand sends the token again, which is used: the gate refuses it, and the player is out. lobbyConnection presents its return ticket, and the player is in again, in the same slot.',
  lasts: END_MS,
  trouble: { ...DOWN, text: '1. The network is down' },
  lanes: [
    {
      name: 'WebSocket',
      marks: byHand,
      until: refusal.at,
      notes: [{ text: `${refusal.text}: it stays out`, tone: 'bad' }],
    },
    {
      name: 'lobby-rx',
      marks: connection,
      notes: [
        { text: '2. It tries again', isMiddle: true },
        { text: '3. It comes back with its ticket:', tone: 'good' },
        { text: 'the same player, in the same slot', tone: 'good' },
      ],
    },
  ],
});
process.exit();
