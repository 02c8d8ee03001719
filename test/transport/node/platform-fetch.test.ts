import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert';
import http from 'node:http';
import { register } from 'node:module';
import { lastValueFrom } from 'rxjs';
import type { FetchLikeInit } from 'lobby-rx';
import { sharedAgents } from '../../../src/transport/node/agents.js';
import { platformFetch } from '../../../src/transport/node/platform-fetch.js';
import type { AnswerHead, Send } from '../../../src/transport/send.js';
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

/** Says that this process is another runtime's. */
function runsIn(runtime: string): void {
  Object.defineProperty(process, 'versions', {
    ...versions,
    value: { ...process.versions, [runtime]: '1.0.0' },
  });
}

/** What sends by cross-fetch, as in a process that has not loaded it yet. */
async function byCrossFetch(why: string): Promise<Send> {
  const { href } = new URL(`../../../src/transport/node/send-by-cross-fetch.ts?${why}`, import.meta.url);
  const module = (await import(href)) as typeof import('../../../src/transport/node/send-by-cross-fetch.js');
  return module.sendByCrossFetch(sharedAgents());
}

afterEach(async () => {
  http.request = request;
  globalThis.fetch = platform;
  Object.defineProperty(process, 'versions', versions);
  Reflect.deleteProperty(globalThis, 'Deno');
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
  const request = { method: 'GET', url: 'http://127.0.0.1/', headers: {} };

  it('knows the request of each call, however many are started at a time', async () => {
    server = await rawServer(() => undefined);
    const { url } = server;
    const send = await byCrossFetch('at-a-time');
    const sent = Array.from({ length: 20 }, () => sentWith(receiver => send({ ...request, url }, receiver)));
    const ends = sent.map(({ head }) => rejects(head));
    await waitUntil(() => server?.sockets.length === 20);
    for (const { sent: request } of sent) request.abort();
    await Promise.all(ends);
    await waitUntil(() => server?.sockets.every(socket => socket.destroyed) === true);
  });

  it('sends nothing if it is aborted before cross-fetch has been loaded', async () => {
    server = await rawServer(socket => socket.write(ok200('{}')));
    const send = await byCrossFetch('aborted');
    const { url } = server;
    sentWith(receiver => send({ ...request, url }, receiver)).sent.abort();
    strictEqual(
      ((await sentWith(receiver => send({ ...request, url }, receiver)).head) as AnswerHead).status,
      200,
    );
    strictEqual(server.sockets.length, 1);
  });

  it('sends by node:http if cross-fetch cannot be loaded', async () => {
    // A loader of modules, which only the module of this test meets.
    const loader = `export const resolve = (name, context, next) => {
      if (name === 'cross-fetch' && context.parentURL.includes('?missing')) throw new Error('no files left');
      return next(name, context);
    };`;
    register(`data:text/javascript,${encodeURIComponent(loader)}`);
    server = await rawServer(socket => socket.write(ok200('{}')));
    const send = await byCrossFetch('missing');
    const { url } = server;
    const { status } = (await sentWith(receiver => send({ ...request, url }, receiver)).head) as AnswerHead;
    strictEqual(status, 200);
  });

  it('is aborted as soon as it has been sent, although it waited for cross-fetch', async () => {
    server = await rawServer(() => undefined);
    const started = server;
    const send = await byCrossFetch('waited');
    const { sent, head } = sentWith(receiver => send({ ...request, url: started.url }, receiver));
    await waitUntil(() => started.received() !== '');
    sent.abort();
    await rejects(head);
    await waitUntil(() => started.sockets[0]?.destroyed === true);
  });

  it('is not used in Bun, whose node:http is', async () => {
    runsIn('bun');
    globalThis.fetch = () => Promise.reject(new Error('this is for others'));
    server = await rawServer(socket => socket.write(ok200('{}')));
    const { url } = server;
    const send = platformFetch();
    const { head } = sentWith(receiver => send({ ...request, url }, receiver));
    strictEqual(((await head) as AnswerHead).status, 200);
    match(server.received(), /^user-agent: lobby-rx\r$/m);
  });

  it('is not used in Deno, whose own fetch is: a POST gets a new connection', async () => {
    runsIn('deno');
    const made: object[] = [];
    const createHttpClient = (options: object) => {
      made.push(options);
      return options;
    };
    Object.assign(globalThis, { Deno: { createHttpClient } });
    const given: (FetchLikeInit & { readonly client?: object })[] = [];
    globalThis.fetch = ((_: string, of: FetchLikeInit) => {
      given.push(of);
      return Promise.resolve('answered');
    }) as unknown as typeof platform;
    const send = platformFetch();
    const post = { ...request, method: 'POST', body: '{}' };
    for (const each of [request, post, { ...request, needsFreshConnection: true }, post]) {
      const { sent, head } = sentWith(receiver => send(each, receiver));
      strictEqual(await head, 'answered');
      sent.abort();
    }
    deepStrictEqual(made, [{ poolMaxIdlePerHost: 0 }]);
    const [client] = made;
    deepStrictEqual(
      given.map(({ method, client }) => [method, client]),
      [
        ['GET', undefined],
        ['POST', client],
        ['GET', client],
        ['POST', client],
      ],
    );
    ok(given.every(({ signal, headers }) => signal.aborted && Object.keys(headers).length === 0));
  });
});
