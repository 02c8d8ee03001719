// A server in a process of its own, with a gate or with ws alone, to which anyone may connect. It says on command how much CPU time
// it has used, in ms.
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
  lobbyGate({ server, client }).subscribe();
} else {
  new WebSocketServer({ server, maxPayload: 65_536 }).on('connection', ws => ws.on('error', () => undefined));
}
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send!({ cpu: (user + system) / 1_000 });
});
process.on('disconnect', () => process.exit());
