// npm run play -- URL: joins the game of `npm run lobby` as one of its players.
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';
import { BOARD_SIZE } from './game.js';

const [url] = process.argv.slice(2);
if (!url) {
  console.error("Pass the URL that npm run lobby prints: npm run play -- 'ws://127.0.0.1:…'");
  process.exit(2);
}

interface State {
  readonly players: readonly { readonly name: string; readonly x: number; readonly y: number }[];
  readonly chat?: { readonly name: string; readonly text: string };
}

const STEPS: Readonly<Record<string, { readonly dx: number; readonly dy: number }>> = {
  ...{ w: { dx: 0, dy: -1 }, a: { dx: -1, dy: 0 }, s: { dx: 0, dy: 1 }, d: { dx: 1, dy: 0 } },
};

/** Names and messages come from strangers: they must not control the terminal. */
const printable = (text: string) => text.replace(/\p{Cc}/gu, ' ');

function show({ players, chat }: State): void {
  const rows = Array.from({ length: BOARD_SIZE }, () => Array<string>(BOARD_SIZE).fill('·'));
  for (const { name, x, y } of players) rows[y]![x] = printable(name.slice(0, 1) || '?');
  console.log(`\n${rows.map(row => row.join(' ')).join('\n')}`);
  console.log(players.map(({ name }) => printable(name)).join(', '));
  if (chat) console.log(`${printable(chat.name)}: ${printable(chat.text)}`);
}

/** The gate's reasons are not longer. */
const MAX_REASON = 123;

/** What to do about a refusal. */
function hintFor(status: number, reason: string, retryAfter: string | undefined): string {
  if (reason === 'unauthorized') return ": the lobby's own token is wrong; see what the lobby prints.";
  if (status === 401 || status === 403)
    return ': each URL works once. Type player where the lobby runs for a new one.';
  return retryAfter === undefined ? '.' : `: try again in ${printable(retryAfter)} s.`;
}

const leave = (message: string, code: number) => {
  // The first reason counts: others follow from it.
  if (process.exitCode !== undefined) return;
  console.error(message);
  process.exitCode = code;
  lines.close();
  process.stdin.destroy();
};

const socket = new WebSocket(url);
const lines = createInterface({ input: process.stdin });
lines.on('line', line => {
  const move = STEPS[line.trim()];
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(move ? { move } : { say: line }));
});
lines.on('close', () => socket.close(1000));
lines.on('SIGINT', () => lines.close());

socket.on('open', () =>
  console.log('You are in. Type w, a, s or d to move, anything else to say it, Ctrl-D to leave.'),
);
socket.on('message', (data: Buffer) => show(JSON.parse(data.toString()) as State));
socket.on('unexpected-response', (request, response) => {
  const { statusCode = 0, headers } = response;
  let body = '';
  response.setEncoding('utf8');
  response.on('data', (text: string) => {
    body += text;
    // A reason of the gate is far shorter: this is a page of something else.
    if (body.length > MAX_REASON) response.destroy();
  });
  response.on('error', () => undefined);
  response.on('close', () => {
    request.destroy();
    const reason = printable(body.slice(0, MAX_REASON));
    const hint = hintFor(statusCode, reason, headers['retry-after']);
    leave(`The lobby has refused you (${`${statusCode} ${reason}`.trim()})${hint}`, 1);
  });
});
socket.on('error', error => leave(`There is no connection to the lobby: ${error.message}`, 1));
socket.on('close', (code, reason) => {
  leave(`You are out: ${code} ${printable(reason.toString())}`.trimEnd(), code === 1000 ? 0 : 1);
});
