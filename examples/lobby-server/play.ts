// npm run play -- URL TOKEN: joins the game of `npm run lobby` as one of its players, and comes
// back if the connection drops.
import { createInterface } from 'node:readline';
import { isLobbyClosedError, lobbyConnection } from 'lobby-rx';
import { WebSocket } from 'ws';
import { BOARD_SIZE } from './game.js';

const [url, token] = process.argv.slice(2);
if (!url || !token || !/^wss?:/.test(url)) {
  console.error(
    "Pass the URL and the token that npm run lobby prints: npm run play -- 'ws://127.0.0.1:…' player.…",
  );
  process.exit(2);
}

/** What the lobby sends: each state of the game. */
interface Message {
  readonly players: readonly { readonly name: string; readonly x: number; readonly y: number }[];
  readonly chat?: { readonly name: string; readonly text: string };
}

const STEPS: Readonly<Record<string, { readonly dx: number; readonly dy: number }>> = {
  w: { dx: 0, dy: -1 },
  a: { dx: -1, dy: 0 },
  s: { dx: 0, dy: 1 },
  d: { dx: 1, dy: 0 },
};

/** Names and messages come from strangers: they must not control the terminal. */
const printable = (text: string) => text.replace(/\p{Cc}/gu, ' ');

function show({ players, chat }: Message): void {
  const rows = Array.from({ length: BOARD_SIZE }, () => Array<string>(BOARD_SIZE).fill('·'));
  for (const { name, x, y } of players) rows[y]![x] = printable(name.slice(0, 1) || '?');
  console.log(`\n${rows.map(row => row.join(' ')).join('\n')}`);
  console.log(players.map(({ name }) => printable(name)).join(', '));
  if (chat) console.log(`${printable(chat.name)}: ${printable(chat.text)}`);
}

/** What to do about the reason why a player is out. */
function hintFor(code: number, reason: string): string {
  if (reason === 'expired') return ': your place was kept for 30 s.';
  if (reason === 'replaced') return ': your ticket was used by another connection.';
  if (code === 4401 || code === 4403)
    return ': each token works once. Type player where the lobby runs for a new one.';
  return '.';
}

// In Node 22 and later, the WebSocket of the platform would do.
const lobby = lobbyConnection({ url, token }, { WebSocket });
let hasBeenIn = false;
let isLeaving = false;

lobby.status$.subscribe(({ state, nextTry, hint }) => {
  if (state === 'live' && !hasBeenIn) {
    hasBeenIn = true;
    console.log('You are in. Type w, a, s or d to move, anything else to say it, Ctrl-D to leave.');
  } else if (nextTry !== undefined) {
    const why = hasBeenIn ? 'The connection has dropped. Coming back…' : 'You are not in yet. Trying again…';
    console.log(hint ? `${why} ${hint}` : why);
  }
});

const playing = lobby.subscribe({
  next: message => {
    show(JSON.parse(String(message)) as Message);
    if (isLeaving) leave();
  },
  error: (error: unknown) => {
    stopReading();
    process.exitCode = 1;
    if (!isLobbyClosedError(error)) throw error;
    const { code, reason } = error;
    console.error(`You are out (${code} ${printable(reason)})${hintFor(code, reason)}`);
  },
  complete: stopReading,
});

const lines = createInterface({ input: process.stdin });
lines.on('line', line => {
  const move = STEPS[line.trim()];
  lobby.send(JSON.stringify(move ? { move } : { say: line }));
});
lines.on('close', () => {
  isLeaving = true;
  // Not before the lobby has answered: it may have a reason why you are not in.
  if (hasBeenIn) leave();
});
lines.on('SIGINT', () => lines.close());

function leave(): void {
  playing.unsubscribe();
  stopReading();
}

function stopReading(): void {
  lines.close();
  process.stdin.destroy();
}
