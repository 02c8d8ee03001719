// A gate in a process of its own, for gate-memory.check.ts. A line on standard input with a number
// of bytes makes it print its memory, and how many open sockets have not sent so many bytes yet.
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { asyncScheduler, NEVER, type SchedulerLike } from 'rxjs';
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

/** Only those that are refused are in a hurry. */
const schedule = (work: () => void, delay = 0, state?: unknown) =>
  asyncScheduler.schedule(work, delay > 1_000 ? 3_600_000 : delay, state);

lobbyGate({
  server,
  client: { matchmaker: { players: { connected: () => NEVER } } },
  // All sockets of the check may stay: the gate is not even half full, and waits for hours.
  maxPending: 1_024,
  perMessageDeflate: process.argv.includes('--deflate'),
  scheduler: Object.create(asyncScheduler, { schedule: { value: schedule } }) as SchedulerLike,
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
