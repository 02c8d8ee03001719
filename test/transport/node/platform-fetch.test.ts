import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert';
import http from 'node:http';
import { lastValueFrom } from 'rxjs';
import type { FetchLikeInit } from 'lobby-rx';
import { rawServer, type RawServer } from '../../raw-server.js';
import { waitUntil } from '../../wait-until.js';
import { sentWith } from '../sent-with.js';
import { IN_NODE, ok200 } from './in-node.js';

const { request } = http;
const platform = globalThis.fetch;
const versions = Object.getOwnPropertyDescriptor(process, 'versions')!;
let server: RawServer | undefined;

/** Sends all requests with agents of its own, as what mocks them does. */
function interceptRequests(): void {
  const withOwnAgent = (given: unknown) =>
    given instanceof Object && 'agent' in given
      ? Object.assign({}, given, { agent: new http.Agent() })
      : given;
  http.request = (...given: readonly unknown[]) =>
    request(...(given.map(withOwnAgent) as Parameters<typeof request>));
}

/** As a new process loads it. */
async function load(why: string) {
  const { href } = new URL(`../../../src/transport/node/platform-fetch.ts?${why}`, import.meta.url);
  return (await import(href)) as typeof import('../../../src/transport/node/platform-fetch.js');
}

afterEach(async () => {
  http.request = request;
  globalThis.fetch = platform;
  Object.defineProperty(process, 'versions', versions);
  await server?.close();
  server = undefined;
});

for (const [name, create] of IN_NODE) {
  describe(`a request that is intercepted, although others were not, with ${name}`, () => {
    it('is aborted on unsubscribe, while waiting for headers and while reading a body', async () => {
      server = await rawServer(socket => socket.write(ok200('{}')));
      await lastValueFrom(create()({ method: 'GET', url: server.url, headers: {} }));
      await server.close();
      interceptRequests();
      for (const head of ['', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"half":']) {
        let arrivals = 0;
        server = await rawServer(socket => socket.write(head));
        const started = server;
        const onArrival = () => arrivals++;
        const asking = create()({ method: 'GET', url: started.url, headers: {}, onArrival }).subscribe();
        await waitUntil(() => (head ? arrivals > 0 : started.received() !== ''));
        asking.unsubscribe();
        await waitUntil(() => started.sockets[0]?.destroyed === true);
        await started.close();
      }
    });
  });
}

describe('the fetch of Node', () => {
  const init = { method: 'GET', headers: {}, redirect: 'manual', credentials: 'omit' } as const;

  it('knows the request of each call, however many are started at a time', async () => {
    server = await rawServer(() => undefined);
    const { platformFetch } = await load('at-a-time');
    const sent = Array.from({ length: 20 }, () =>
      sentWith(receiver => platformFetch(server!.url, init, receiver)),
    );
    const ends = sent.map(({ head }) => rejects(head));
    await waitUntil(() => server?.sockets.length === 20);
    for (const { sent: request } of sent) request.abort();
    await Promise.all(ends);
    await waitUntil(() => server?.sockets.every(socket => socket.destroyed) === true);
  });

  for (const runtime of ['bun', 'deno']) {
    it(`is not used in ${runtime}, whose own fetch is`, async () => {
      Object.defineProperty(process, 'versions', {
        ...versions,
        value: { ...process.versions, [runtime]: '1.0.0' },
      });
      const inits: FetchLikeInit[] = [];
      globalThis.fetch = ((_: string, given: FetchLikeInit) => {
        inits.push(given);
        return Promise.resolve('answered');
      }) as unknown as typeof platform;
      const { platformFetch } = await load(runtime);
      const { sent, head } = sentWith(receiver => platformFetch('http://127.0.0.1/', init, receiver));
      strictEqual(await head, 'answered');
      const { signal, headers } = inits[0]!;
      deepStrictEqual(headers, {});
      sent.abort();
      ok(signal.aborted);
    });
  }
});
