// Expected: undici's Agent with `allowH2` sends requests that begin together in one HTTP/2 session.
// Seen: a session for each, until `connections` and `pipelining` are given. Over HTTP/1, these make
// held requests wait for each other. docs/transport.md says what to give.
// Fails on: undici 7.30.2 with Node 20.20.2. Needs: nothing but `npm ci`.
import { readFileSync } from 'node:fs';
import { createSecureServer, type Http2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { Agent, fetch } from 'undici';

const REQUESTS = 50;
const { version } = createRequire(import.meta.url)('undici/package.json') as { version: string };
const pem = readFileSync(new URL('../test/tools/cli/localhost.pem', import.meta.url));

/** How many sessions a server has seen once all requests are held. */
async function sessionsOf(options: Agent.Options): Promise<number> {
  const sessions = new Set<Http2Session>();
  const server = createSecureServer({ key: pem, cert: pem });
  server.on('session', session => sessions.add(session));
  const allHeld = new Promise<void>(resolve => {
    let held = 0;
    server.on('stream', stream => {
      stream.on('error', () => undefined);
      held++;
      if (held === REQUESTS) resolve();
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const dispatcher = new Agent({ ...options, allowH2: true, connect: { rejectUnauthorized: false } });
  for (let n = 0; n < REQUESTS; n++)
    fetch(`https://127.0.0.1:${port}`, { dispatcher }).catch(() => undefined);
  await allHeld;
  for (const session of sessions) session.destroy();
  server.close();
  await dispatcher.destroy();
  return sessions.size;
}

const seen = await sessionsOf({});
const withOptions = await sessionsOf({ connections: 1, pipelining: 100 });
console.log(`undici ${version}, Node ${process.version}: ${REQUESTS} requests that are held`);
console.log(`expected 1 session; seen ${seen}; with connections and pipelining: ${withOptions}`);
process.exitCode = seen === 1 ? 0 : 1;
