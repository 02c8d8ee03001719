import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createEmulator, listen } from 'lobby-rx/emulator';
import { WebSocket } from 'ws';

// Runs a server with a gate: a page answers, a player is admitted, a stranger refused, and SIGTERM ends it.
const emulator = createEmulator();
const lobby = emulator.addLobby();
const service = await listen(emulator);
const port = await new Promise(resolve => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const free = probe.address().port;
    probe.close(() => resolve(free));
  });
});
const server = spawn(process.execPath, [process.argv[2]], {
  env: { ...process.env, LOBBY_RX_URL: service.url, LOBBY_TOKEN: lobby.token, PORT: port },
  stdio: ['ignore', 'inherit', 'inherit'],
});
const url = `http://127.0.0.1:${port}/health`;
let page;
for (let tries = 0; !page && tries < 200; tries++) {
  page = await fetch(url).catch(() => new Promise(resolve => setTimeout(resolve, 50)));
}
const text = await page.text();

const play = async token => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/play`);
  socket.on('open', () => socket.send(token));
  const [what] = await Promise.race([once(socket, 'message'), once(socket, 'close')]);
  return { socket, what: String(what) };
};
const stranger = await play('stranger');
const player = await play(emulator.reservePlayer(lobby.lobby_id));
server.kill('SIGTERM');
const [closed] = await once(player.socket, 'close');
const [code, signal] = await once(server, 'exit');
console.log([text, stranger.what, player.what, closed, code ?? signal].join(', '));
await service.close();
