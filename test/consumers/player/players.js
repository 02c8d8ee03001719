// Players in the runtime under test. A line on standard input is a number of players to enter, or
// nothing. Each line is answered with how many players there are in each state.
import { createInterface } from 'node:readline';
import { lobbyConnection } from 'lobby-rx';

const url = process.argv[2];
const { WebSocket = (await import('ws')).WebSocket } = globalThis;
const connections = [];

function enter() {
  const n = connections.length;
  const entrance = { url: `${url}?from=10.0.${n >> 8}.${n & 255}`, token: `token-${n}` };
  const connection = lobbyConnection(entrance, { WebSocket });
  connections.push(connection);
  connection.subscribe({ error: () => undefined });
}

for await (const line of createInterface({ input: process.stdin })) {
  for (let i = 0; i < Number(line); i++) enter();
  const counts = {};
  for (const { status } of connections) {
    const key = status.state === 'closed' ? `out: ${status.error?.reason}` : status.state;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  console.log(JSON.stringify(counts));
}
process.exit();
