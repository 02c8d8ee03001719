import { deepStrictEqual, ok } from 'node:assert';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Subscription } from 'rxjs';
import { createClient } from 'lobby-rx';
import { waitUntil } from '../wait-until.js';

const FEEDS = 10_000;

describe('ten thousand feeds in one process, all started at once', () => {
  it('come up, although the process is busy for long, and all get the next event', async function () {
    this.timeout(240_000);
    const held = new Set<ServerResponse>();
    let requests = 0;
    const answer = (response: ServerResponse, events: readonly unknown[], index: number) =>
      response.end(JSON.stringify({ events, watch: { index: String(index) } }));
    const server = createServer((request, response) => {
      requests++;
      if (!request.url?.includes('watch_index=1')) return void answer(response, [], 1);
      held.add(response);
      response.on('close', () => held.delete(response));
    });
    server.keepAliveTimeout = 0;
    await new Promise<void>(resolve =>
      server.listen({ port: 0, host: '127.0.0.1', backlog: FEEDS }, resolve),
    );
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

    const feeds = new Subscription();
    let got = 0;
    for (let n = 0; n < FEEDS; n++) {
      const { feed } = createClient({ url, token: `t${n}` }).events;
      feeds.add(feed.unknown$.subscribe(() => got++));
    }
    await waitUntil(() => held.size === FEEDS);
    // Two for each feed, and a few that had to be repeated.
    ok(requests < FEEDS * 2.2, `${requests} requests`);

    for (const response of held) answer(response, [{ kind: { x: 1 }, ts: '1' }], 2);
    await waitUntil(() => got === FEEDS);
    feeds.unsubscribe();
    deepStrictEqual(got, FEEDS);
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  });
});
