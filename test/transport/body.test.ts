import { deepStrictEqual, match, strictEqual } from 'node:assert';
import { deflateSync, gzipSync, brotliCompressSync } from 'node:zlib';
import { catchError, lastValueFrom, of, type ObservableInput } from 'rxjs';
import {
  createClient,
  fromFetch,
  whyNotConnected,
  withTimeout,
  type FetchLikeResponse,
  type TransportError,
} from 'lobby-rx';
import { fromHttp } from 'lobby-rx/node';
import { rawServer, type RawServer } from '../raw-server.js';
import { virtualTime } from '../virtual-time.js';
import { waitUntil } from '../wait-until.js';

const request = { method: 'GET', url: 'https://a.example/', headers: {} };
const chunk = new TextEncoder().encode('x');

/** Lets pending promises settle; they do not move in virtual time. */
const settle = () => new Promise(resolve => setImmediate(resolve));

const inNode = [
  ['cross-fetch', fromFetch],
  ['node:http', fromHttp],
] as const;

describe('the body of an answer', () => {
  /**
   * A body in virtual time, whose headers come at once. A step after some time is a part of it, or
   * its end.
   */
  function stage(config: object = {}, timeout?: number) {
    const { scheduler, pass } = virtualTime();
    let deliver: ((result: { done: false; value: Uint8Array } | { done: true }) => void) | undefined;
    const body = {
      getReader: () => ({
        read: () =>
          new Promise(resolve => {
            deliver = resolve;
          }),
      }),
    };
    const response: FetchLikeResponse = {
      status: 200,
      headers: { get: () => null },
      body,
      text: () => Promise.reject(new Error('not streamed')),
    };
    const fetch = () => Promise.resolve(response);
    const seen: string[] = [];
    let arrivals = 0;
    const transport = fromFetch({ fetch, scheduler, ...config });
    const limited = timeout === undefined ? transport : withTimeout(transport, timeout, scheduler);
    limited({ ...request, onArrival: () => arrivals++ })
      .pipe(catchError((error: unknown): ObservableInput<{ text: string }> => of({ text: String(error) })))
      .subscribe(({ text }) => seen.push(text));
    const after = async (ms: number, step?: 'byte' | 'nothing' | 'end') => {
      pass(ms);
      const value = step === 'byte' ? chunk : new Uint8Array();
      if (step) deliver?.(step === 'end' ? { done: true } : { done: false, value });
      await settle();
    };
    return { seen, after, arrivals: () => arrivals };
  }

  it('may take long as long as it flows', async () => {
    const { seen, after } = stage();
    await after(0);
    for (let second = 0; second < 280; second += 14) await after(14_000, 'byte');
    await after(14_000, 'end');
    deepStrictEqual(seen, ['x'.repeat(20)]);
  });

  it('fails after 15 s of silence', async () => {
    const { seen, after } = stage();
    await after(0);
    await after(14_000, 'byte');
    await after(14_999);
    deepStrictEqual(seen, []);
    await after(1);
    match(seen.join(), /the body of the answer stalled/);
  });

  it('fails after 300 s in all, even if it never begins', async () => {
    for (const step of ['byte', 'nothing'] as const) {
      const { seen, after } = stage();
      await after(0);
      for (let n = 0; n < 29; n++) await after(10_000, step);
      await after(9_999);
      deepStrictEqual(seen, []);
      await after(1);
      match(seen.join(), /the body of the answer took too long/);
    }
  });

  it('may be held after its headers: until its first byte, only the timeout of the request counts', async () => {
    const { seen, after, arrivals } = stage({}, 70_000);
    await after(0);
    await after(30_000, 'nothing');
    await after(39_999);
    deepStrictEqual([seen, arrivals()], [[], 0]);
    await after(0, 'byte');
    strictEqual(arrivals(), 1);
    await after(14_000, 'byte');
    await after(14_000, 'end');
    deepStrictEqual([seen, arrivals()], [['xx'], 1]);

    const late = stage({}, 70_000);
    await late.after(0);
    await late.after(70_000);
    match(late.seen.join(), /no answer within 70000 ms/);
    strictEqual(late.arrivals(), 0);
  });

  it('has arrived when it ends, if it is empty', async () => {
    const { seen, after, arrivals } = stage();
    await after(0);
    await after(60_000, 'end');
    deepStrictEqual([seen, arrivals()], [[''], 1]);
  });

  it('is within the timeout of the request if the fetch does not stream, however long the silence', async () => {
    const { scheduler, pass } = virtualTime();
    let deliver: (text: string) => void = () => undefined;
    const fetch = () => {
      const text = () =>
        new Promise<string>(resolve => {
          deliver = resolve;
        });
      return Promise.resolve({ status: 200, headers: { get: () => null }, text });
    };
    const transport = withTimeout(fromFetch({ fetch, scheduler }), 70_000, scheduler);
    const seen: string[] = [];
    const send = async () => {
      transport({ ...request, onArrival: () => seen.push('arrival') })
        .pipe(catchError((error: unknown) => of({ text: (error as TransportError).reason })))
        .subscribe(({ text }) => seen.push(text));
      await settle();
    };
    await send();
    pass(69_999);
    deliver('{}');
    await settle();
    deepStrictEqual(seen.splice(0), ['arrival', '{}']);
    await send();
    pass(70_000);
    await settle();
    deepStrictEqual(seen, ['timeout']);
  });

  it('has other limits if asked to', async () => {
    const { seen, after } = stage({ bodyIdleTimeout: 50, bodyTimeout: 120 });
    await after(0);
    for (let n = 0; n < 2; n++) await after(40, 'byte');
    await after(39);
    deepStrictEqual(seen, []);
    await after(1);
    strictEqual(seen.length, 1);
  });

  for (const [name, create] of inNode) {
    describe(`over HTTP, with ${name}`, () => {
      let server: RawServer;
      afterEach(() => server.close());

      const answer = (head: string, body: Buffer) =>
        `HTTP/1.1 ${head}\r\nContent-Length: ${body.length}\r\n\r\n`;
      const serve = async (head: string, body: Buffer) => {
        server = await rawServer(socket => {
          socket.write(answer(head, body));
          socket.write(body);
        });
        return server.url;
      };
      const text = '{"members":[],"watch":{"index":"1"}}';

      it('is decompressed', async () => {
        for (const [encoding, body] of [
          ['gzip', gzipSync(text)],
          ['deflate', deflateSync(text)],
          ['br', brotliCompressSync(text)],
        ] as const) {
          const url = await serve(`200 OK\r\nContent-Encoding: ${encoding}`, body);
          strictEqual((await lastValueFrom(create()({ ...request, url }))).text, text);
          await server.close();
        }
        const url = await serve('200 OK\r\nContent-Encoding: gzip', Buffer.alloc(0));
        strictEqual((await lastValueFrom(create()({ ...request, url }))).text, '');
        match(server.received(), /\r\naccept-encoding: gzip\r\n/i);
      });

      const connect = async (url: string) => {
        const { players } = createClient({ url, token: 't', transport: create() }).matchmaker;
        return lastValueFrom(players.connected({ player_token: 'p' })).then(
          () => 'admitted',
          (error: unknown) => whyNotConnected(error).outcome,
        );
      };

      it('may come long after its headers', async () => {
        const { scheduler, pass } = virtualTime();
        server = await rawServer(socket => socket.write(answer('200 OK', Buffer.from(text))));
        const transport = withTimeout(create({ scheduler }), 70_000, scheduler);
        const answered = lastValueFrom(transport({ ...request, url: server.url }));
        // That of the request, and since the headers that of the body.
        await waitUntil(() => scheduler.actions.length === 2);
        pass(60_000);
        server.sockets[0]?.write(text);
        strictEqual((await answered).text, text);
      });

      it('is not empty if it is compressed and incomplete, and admits nobody', async () => {
        const whole = gzipSync('{"error":"no"}');
        for (const length of [1, 10, 11, whole.length - 1]) {
          strictEqual(
            await connect(await serve('200 OK\r\nContent-Encoding: gzip', whole.subarray(0, length))),
            'unknown',
          );
          await server.close();
        }
        strictEqual(
          await connect(await serve('200 OK\r\nContent-Encoding: gzip', gzipSync('{}'))),
          'admitted',
        );
      });

      it('admits nobody if the answer has an impossible status', async () => {
        for (const status of ['000', '099', '999']) {
          strictEqual(await connect(await serve(`${status} Strange`, Buffer.from('{}'))), 'unknown', status);
          await server.close();
        }
        strictEqual(await connect(await serve('200 OK', Buffer.from('{}'))), 'admitted');
      });
    });
  }

  it('is read by node-fetch and the like, too', async () => {
    const { default: crossFetch } = await import('cross-fetch');
    const server = await rawServer(socket => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'));
    const transport = fromFetch({ fetch: crossFetch });
    strictEqual((await lastValueFrom(transport({ ...request, url: server.url }))).text, '{}');
    await server.close();
  });
});

describe('a new connection', () => {
  for (const [name, create] of inNode) {
    it(`is used if it is asked for, and closes those that were kept, with ${name}`, async () => {
      const ok200 = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';
      const server = await rawServer(socket => socket.write(ok200));
      const send = (needsFreshConnection: boolean) =>
        lastValueFrom(create()({ ...request, url: server.url, needsFreshConnection }));
      // Three at once, so that three sockets are kept.
      await Promise.all([send(false), send(false), send(false)]);
      strictEqual(server.sockets.length, 3);
      await send(false);
      strictEqual(server.sockets.length, 3);
      await send(true);
      strictEqual(server.sockets.length, 4);
      // The new one is kept, and no other is left.
      await Promise.all([send(false), send(false)]);
      strictEqual(server.sockets.length, 5);
      await server.close();
    });

    it(`leaves alone what is kept for other servers, with ${name}`, async () => {
      const ok200 = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';
      const start = () => rawServer(socket => socket.write(ok200));
      const [server, other] = await Promise.all([start(), start()]);
      const send = (url: string, needsFreshConnection = false) =>
        lastValueFrom(create()({ ...request, url, needsFreshConnection }));
      await Promise.all([send(server.url), send(other.url)]);
      await send(server.url, true);
      strictEqual(server.sockets.length, 2);
      await send(other.url);
      strictEqual(other.sockets.length, 1);
      await Promise.all([server.close(), other.close()]);
    });
  }
});
