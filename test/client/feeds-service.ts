import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

// A service that holds the polls of many feeds. It prints its port, then a line with the numbers of
// requests and of held polls for each line that it reads; after `publish`, it answers them all.
const held = new Set<ServerResponse>();
let requests = 0;

const answer = (response: ServerResponse, events: readonly unknown[], index: number) =>
  response.end(JSON.stringify({ events, watch: { index: String(index) } }));

const server = createServer((request, response) => {
  requests++;
  if (!request.url?.includes('watch_index=')) {
    answer(response, [], 1);
    return;
  }
  held.add(response);
  response.on('close', () => held.delete(response));
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 20_000 }, () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});

process.stdin.on('data', (line: Buffer) => {
  process.stdout.write(`${JSON.stringify({ requests, held: held.size })}\n`);
  if (!line.includes('publish')) return;
  for (const response of held) answer(response, [{ kind: { x: 1 }, ts: '1' }], 2);
});
process.stdin.on('end', () => process.exit());
