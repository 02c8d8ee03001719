import { deepStrictEqual, strictEqual } from 'node:assert';
import { readFileSync } from 'node:fs';
import { createSecureServer, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createClient, fromFetch, type FetchLike } from 'lobby-rx';
import { Agent, fetch } from 'undici';
import { waitUntil } from '../wait-until.js';

/** A certificate and its key. */
const pem = readFileSync(join(import.meta.dirname, '../localhost.pem'));

/** What the page gives to an agent. */
const PAGE = readFileSync(join(import.meta.dirname, '../../docs/transport.md'), 'utf8');
const [, allowH2, connections, pipelining] =
  /new Agent\(\{ allowH2: (true), connections: (\d+), pipelining: (\d+) \}\)/.exec(PAGE)!;
const DOCUMENTED = {
  allowH2: allowH2 === 'true',
  connections: Number(connections),
  pipelining: Number(pipelining),
};

describe('a client over HTTP/2', () => {
  it('holds 200 polls in as many sockets as docs/transport.md allows', async () => {
    const sessions = new Set<ServerHttp2Session>();
    const server = createSecureServer({ cert: pem, key: pem });
    server.on('session', session => sessions.add(session));
    let held = 0;
    server.on('stream', stream => {
      held++;
      stream.on('error', () => undefined);
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const dispatcher = new Agent({ ...DOCUMENTED, connect: { rejectUnauthorized: false } });
    const overHttp2: FetchLike = (url, init) => fetch(url, { ...init, dispatcher });
    const transport = fromFetch({ fetch: overHttp2 });
    const client = createClient({ url: `https://127.0.0.1:${port}`, token: 'a-token', transport });
    const polls = Array.from({ length: 200 }, () => client.events.watch().subscribe());
    try {
      await waitUntil(() => held === 200);
      strictEqual(sessions.size, DOCUMENTED.connections);
    } finally {
      for (const poll of polls) poll.unsubscribe();
      for (const session of sessions) session.destroy();
      server.close();
    }
  });

  it('loses one timeout to a half-open session, with the fetch of docs/transport.md', async () => {
    const sessions: ServerHttp2Session[] = [];
    const server = createSecureServer({ cert: pem, key: pem });
    let asked = 0;
    let isDead = false;
    server.on('session', session => sessions.push(session));
    server.on('stream', (stream, headers) => {
      // The first session gives no answers any more, and does not end.
      if (isDead && stream.session === sessions[0]) return;
      asked++;
      const isFirst = !headers[':path']?.includes('watch_index');
      const events = isFirst ? [] : [{ ts: '', kind: { n: { asked } } }];
      if (!isFirst) isDead = true;
      stream.respond({ ':status': 200 });
      stream.end(JSON.stringify({ events, watch: { index: String(asked) } }));
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;

    const open = () => new Agent({ ...DOCUMENTED, connect: { rejectUnauthorized: false } });
    let agent = open();
    let openedAt = 0;
    const overHttp2: FetchLike = (url, { needsFreshConnection, ...init }) => {
      if (needsFreshConnection && Date.now() - openedAt > 5_000) {
        agent = open();
        openedAt = Date.now();
      }
      return fetch(url, { ...init, dispatcher: agent });
    };
    const ends: string[] = [];
    const client = createClient({
      url: `https://127.0.0.1:${port}`,
      token: 'a-token',
      transport: fromFetch({ fetch: overHttp2 }),
      watch: { timeout: 300 },
      log: entry => entry.kind === 'poll_end' && ends.push(entry.why),
    });
    let received = 0;
    const watching = client.events.batches().subscribe(() => received++);
    try {
      await waitUntil(() => received >= 3);
      strictEqual(sessions.length, 2);
      deepStrictEqual(
        ends.filter(why => why !== 'news' && why !== 'no_news'),
        ['cut'],
      );
    } finally {
      watching.unsubscribe();
      for (const session of sessions) session.destroy();
      server.close();
    }
  });
});
