// A server in a process of its own, with a gate or with ws alone, to which anyone may connect. It
// says on command how much CPU time it has used, in ms, or how much memory, in bytes.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NEVER } from 'rxjs';
import { WebSocketServer } from 'ws';
import { lobbyGate } from 'lobby-rx/lobby-server';

const server = createServer().listen(0, '127.0.0.1', () =>
  process.send!({ port: (server.address() as AddressInfo).port }),
);
if (process.argv[2] === 'gate') {
  const client = { matchmaker: { players: { connected: () => NEVER } } };
  // One address has half of the places.
  lobbyGate({ server, client, maxPending: 1_024 }).subscribe();
} else {
  new WebSocketServer({ server, maxPayload: 65_536 }).on('connection', ws => ws.on('error', () => undefined));
}
process.on('message', ({ question }: { question: 'cpu' | 'memory' }) => {
  const { user, system } = process.cpuUsage();
  if (question === 'memory') for (let i = 0; i < 3; i++) global.gc!();
  const { heapUsed, external } = process.memoryUsage();
  process.send!({ value: question === 'cpu' ? (user + system) / 1_000 : heapUsed + external });
});
process.on('disconnect', () => process.exit());
