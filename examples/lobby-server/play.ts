// npm run play -- URL TOKEN: joins the game of `npm run lobby` as one of its players, and comes
// back if the connection drops.
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';
import { BOARD_SIZE } from './game.js';

const [url, token] = process.argv.slice(2);
if (!url || !token || !URL.canParse(url)) {
  console.error(
    "Pass the URL and the token that npm run lobby prints: npm run play -- 'ws://127.0.0.1:…' player.…",
  );
  process.exit(2);
}

/** What the lobby sends: the ticket once, then each state of the game. */
interface Message {
  readonly ticket?: string;
  readonly players?: readonly { readonly name: string; readonly x: number; readonly y: number }[];
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

function show({ players = [], chat }: Message): void {
  const rows = Array.from({ length: BOARD_SIZE }, () => Array<string>(BOARD_SIZE).fill('·'));
  for (const { name, x, y } of players) rows[y]![x] = printable(name.slice(0, 1) || '?');
  console.log(`\n${rows.map(row => row.join(' ')).join('\n')}`);
  console.log(players.map(({ name }) => printable(name)).join(', '));
  if (chat) console.log(`${printable(chat.name)}: ${printable(chat.text)}`);
}

/** What browsers, networks and proxies end a connection with. */
const DROPPED: readonly number[] = [1001, 1006, 1011, 1012, 1013, 1014];

/** What to do about a close code. */
function hintFor(code: number, reason: string): string {
  if (reason === 'lobby_unauthorized') return ": the lobby's own token is wrong; see what the lobby prints.";
  if (reason === 'expired') return ': your place was kept for 30 s.';
  if (code === 4409) return ': somebody has come back with your ticket.';
  if (code === 4401 || code === 4403)
    return ': each token works once. Type player where the lobby runs for a new one.';
  return code === 4424 || code === 4429 ? ': try again in a moment.' : '.';
}

let ticket: string | undefined;
let isLeaving = false;
let socket: WebSocket;

function enter(): void {
  let problem = '';
  socket = new WebSocket(url!);
  socket.on('open', () => socket.send(ticket ?? token!));
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as Message;
    if (message.ticket)
      console.log('You are in. Type w, a, s or d to move, anything else to say it, Ctrl-D to leave.');
    ticket ??= message.ticket;
    if (message.players) show(message);
    if (isLeaving) socket.close(1000);
  });
  socket.on('error', ({ message }) => {
    problem = message;
  });
  socket.on('close', (code, reason) => {
    const isFinal = !DROPPED.includes(code) || reason.toString() === 'gate_closed';
    const isDropped = !isFinal && ticket !== undefined && !isLeaving;
    if (!isDropped) return end(code, printable(reason.toString()), problem);
    console.log('The connection has dropped. Coming back…');
    setTimeout(enter, 1_000);
  });
}

function end(code: number, reason: string, problem: string): void {
  lines.close();
  process.stdin.destroy();
  if (code === 1000) return;
  process.exitCode = 1;
  if (problem !== '') console.error(`There is no connection to the lobby: ${problem}`);
  else console.error(`You are out (${`${code} ${reason}`.trim()})${hintFor(code, reason)}`);
}

const lines = createInterface({ input: process.stdin });
lines.on('line', line => {
  const move = STEPS[line.trim()];
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(move ? { move } : { say: line }));
});
lines.on('close', () => {
  isLeaving = true;
  // Not before the lobby has answered: it may have a reason why you are not in.
  if (ticket !== undefined) socket.close(1000);
});
lines.on('SIGINT', () => lines.close());
enter();
