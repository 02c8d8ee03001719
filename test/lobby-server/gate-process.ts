// A gate in a process of its own, for gate-memory.check.ts. A line on standard input with a number of bytes makes it print its
// memory, and how many open sockets have not sent so many bytes yet.
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { NEVER } from 'rxjs';
import { lobbyGate } from 'lobby-rx/lobby-server';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const sockets = new Set<Socket>();
const server = createServer()
  .on('connection', socket => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  })
  .listen(0, '127.0.0.1', () =>
    console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })),
  );

lobbyGate({
  server,
  client: { matchmaker: { players: { connected: () => NEVER } } },
  // All sockets of the check may stay: the gate is not even half full.
  ...{ firstMessage: true, maxWaiting: 4_096, firstMessageDeadline: 3_600_000 },
}).subscribe();

for await (const bytes of createInterface(process.stdin)) {
  // What the first run finds unreachable, the second one frees.
  collect();
  await setImmediate();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  const unread = [...sockets].filter(({ bytesRead }) => bytesRead < Number(bytes)).length;
  console.log(JSON.stringify({ memory: heapUsed + external, open: sockets.size, unread }));
}
process.exit();
