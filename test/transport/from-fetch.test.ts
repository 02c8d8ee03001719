import { deepStrictEqual, fail, match, ok, strictEqual } from 'node:assert';
import type { Socket } from 'node:net';
import { firstValueFrom, lastValueFrom, Subscription, toArray } from 'rxjs';
import {
  fromFetch,
  isTransportError,
  type FetchLike,
  type FetchLikeInit,
  type FetchLikeResponse,
  type Transport,
  type TransportError,
} from 'lobby-rx';
import { fromHttp } from 'lobby-rx/node';
import { rawServer, type RawServer } from '../raw-server.js';
import { waitUntil } from '../wait-until.js';

const LENGTH = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"half":';
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n{"half":\r\n';
const ok200 = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** Not the default in Node: the transport must work with any fetch. */
const globalFetch = fetch as FetchLike;

type Create = (config?: { readonly bodyTimeout?: number; readonly maxBody?: number }) => Transport;

/** An asynchronous iterator of these values. */
async function* from(values: readonly unknown[]) {
  for (const value of values) yield await Promise.resolve(value);
}

describe('fromFetch', () => {
  let server: RawServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  const get = (url: string, config = {}) => fromFetch(config)({ method: 'GET', url, headers: {} });

  async function failure(url: string, config = {}, create: Create = fromFetch): Promise<TransportError> {
    try {
      await lastValueFrom(create(config)({ method: 'GET', url, headers: {} }));
    } catch (error) {
      ok(isTransportError(error), String(error));
      return error;
    }
    throw new Error('there was an answer');
  }

  for (const [name, create] of [
    ['cross-fetch', fromFetch],
    ['global fetch', config => fromFetch({ ...config, fetch: globalFetch })],
    ['node:http', fromHttp],
  ] as readonly [string, Create][]) {
    describe(`with ${name}`, () => {
      it('sends a request, emits the answer with any status, and completes', async () => {
        server = await rawServer(socket =>
          socket.write('HTTP/1.1 418 Teapot\r\nRvt-Ray-Id: 7\r\nContent-Length: 2\r\n\r\nno'),
        );
        const request = {
          method: 'POST',
          url: `${server.url}/pot?full=1`,
          headers: { authorization: 'Bearer t' },
          body: '{"a":1}',
        };
        const [answer, ...more] = await lastValueFrom(create()(request).pipe(toArray()));
        deepStrictEqual([answer?.status, answer?.text, answer?.headers.get('rvt-ray-id')], [418, 'no', '7']);
        strictEqual(more.length, 0);
        match(server.received(), /^POST \/pot\?full=1 HTTP\/1\.1\r\n/);
        match(server.received(), /\r\nauthorization: Bearer t\r\n/i);
        match(server.received(), /\r\n\r\n\{"a":1\}$/);
      });

      const cuts: readonly [string, string, (socket: Socket) => void][] = [
        ['a body with a length, closed', LENGTH, socket => socket.end()],
        ['a body with a length, reset', LENGTH, socket => socket.resetAndDestroy()],
        ['a chunked body, closed', CHUNKED, socket => socket.end()],
        ['a chunked body, reset', CHUNKED, socket => socket.resetAndDestroy()],
        [
          'a deflated body, before its first byte',
          LENGTH.replace('\r\n\r\n{"half":', '\r\nContent-Encoding: deflate\r\n\r\n'),
          socket => socket.end(),
        ],
        [
          'an upgrade that was not requested',
          'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
          socket => socket.end(),
        ],
        ['headers, closed', 'HTTP/1.1 200', socket => socket.end()],
        ['headers, reset', 'HTTP/1.1 200', socket => socket.resetAndDestroy()],
      ];
      for (const [what, head, cut] of cuts) {
        it(`fails at once if the connection is cut in ${what}`, async () => {
          server = await rawServer(socket => socket.write(head, () => setImmediate(cut, socket)));
          // A timeout this long cannot be what ends it.
          const patient = { bodyTimeout: 600_000 };
          strictEqual((await failure(server.url, patient, create)).reason, 'lost');
        });
      }

      it('sends the body of a DELETE with its length', async () => {
        server = await rawServer(socket => socket.write(ok200('{}')));
        await lastValueFrom(create()({ method: 'DELETE', url: server.url, headers: {}, body: '{"a":"é"}' }));
        match(server.received(), /\r\ncontent-length: 10\r\n/i);
      });

      it('fails if the body is not complete at its timeout', async () => {
        server = await rawServer(socket => socket.write(LENGTH));
        const error = await failure(server.url, { bodyTimeout: 0 }, create);
        strictEqual(error.reason, 'lost');
        match(error.message, /^the body of the answer took too long/);
      });

      it('refuses a redirect, and does not follow it', async () => {
        server = await rawServer(socket =>
          socket.write('HTTP/1.1 302 Found\r\nLocation: /else\r\nContent-Length: 0\r\n\r\n'),
        );
        strictEqual((await failure(server.url, {}, create)).reason, 'redirected');
        ok(!server.received().includes('/else'));
      });

      it('refuses an answer that is too large, without reading it to the end', async () => {
        server = await rawServer(socket => {
          socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
          socket.write(`10000\r\n${'x'.repeat(0x10000)}\r\n`);
        });
        strictEqual((await failure(server.url, { maxBody: 1000 }, create)).reason, 'too_large');
      });

      it('distinguishes a server that is not there from one that hangs up', async () => {
        server = await rawServer(() => undefined);
        const { url } = server;
        await server.close();
        strictEqual((await failure(url, {}, create)).reason, 'unreachable');
      });

      it('aborts on unsubscribe, while waiting for headers and while reading a body', async () => {
        for (const head of ['', LENGTH]) {
          let subscription: { unsubscribe(): void } | undefined;
          const closed = new Promise<void>(resolve => {
            void rawServer(socket => {
              socket.on('close', () => resolve());
              socket.write(head, () => setImmediate(() => subscription?.unsubscribe()));
            }).then(started => {
              server = started;
              const transport = create();
              subscription = transport({ method: 'GET', url: started.url, headers: {} }).subscribe({
                next: () => fail('an answer after all'),
                error: (error: unknown) => fail(String(error)),
              });
            });
          });
          await closed;
          await server?.close();
        }
      });
    });
  }

  for (const [name, create] of [
    ['cross-fetch', fromFetch],
    ['node:http', fromHttp],
  ] as readonly [string, Create][]) {
    describe(`with ${name}, in Node`, () => {
      const ask = (url: string) => create()({ method: 'GET', url, headers: {} });

      it('reuses sockets for GETs, and opens a new one for every other request', async () => {
        server = await rawServer(socket => socket.write(ok200('{}')));
        const { url } = server;
        for (let i = 0; i < 3; i++) await lastValueFrom(ask(url));
        strictEqual(server.sockets.length, 1);
        for (let i = 0; i < 2; i++) {
          await lastValueFrom(create()({ method: 'POST', url, headers: {}, body: '{}' }));
        }
        strictEqual(server.sockets.length, 3);
      });

      it('retries a GET once if it failed on a kept socket', async () => {
        server = await rawServer((socket, nth) => {
          if (nth === 1) socket.destroy();
          else socket.write(ok200(`${nth}`));
        });
        await lastValueFrom(ask(server.url));
        strictEqual((await lastValueFrom(ask(server.url))).text, '2');
      });

      it('retries a GET that failed on a kept socket with a new one, and gives up if that fails, too', async () => {
        let isDying = false;
        server = await rawServer(socket => {
          if (isDying && server!.sockets.indexOf(socket) < 2) socket.destroy();
          else setImmediate(() => socket.write(ok200('{}')));
        });
        const { url } = server;
        await Promise.all([lastValueFrom(ask(url)), lastValueFrom(ask(url))]);
        strictEqual(server.sockets.length, 2);
        isDying = true;
        strictEqual((await lastValueFrom(ask(url))).text, '{}');
        strictEqual(server.sockets.length, 3);

        const { close } = server;
        server = await rawServer((socket, nth) => {
          if (nth > 0) socket.destroy();
          else socket.write(ok200('{}'));
        });
        await close();
        await lastValueFrom(ask(server.url));
        strictEqual((await failure(server.url, {}, create)).reason, 'lost');
        strictEqual(server.sockets.length, 2);
      });

      it('fails if the connection fails that is the end of the body', async () => {
        server = await rawServer(socket =>
          socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{"half":'),
        );
        const onArrival = () => setImmediate(() => server?.sockets[0]?.resetAndDestroy());
        const answer$ = create()({ method: 'GET', url: server.url, headers: {}, onArrival });
        const reason = await lastValueFrom(answer$).then(
          () => 'answered',
          (error: unknown) => isTransportError(error) && error.reason,
        );
        strictEqual(reason, 'lost');
      });

      it('closes the connection of an upload that is answered before it has been read', async () => {
        server = await rawServer(socket => {
          socket.pause();
          socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n');
        });
        const body = 'x'.repeat(20_000_000);
        const answer = await lastValueFrom(create()({ method: 'POST', url: server.url, headers: {}, body }));
        strictEqual(answer.status, 413);
        const [socket] = server.sockets;
        socket?.resume();
        await waitUntil(() => socket?.destroyed === true);
        ok(socket!.bytesRead < body.length);
      });

      it('uses TLS for an https: URL', async () => {
        server = await rawServer(() => undefined);
        const asking = ask(server.url.replace('http:', 'https:')).subscribe({ error: () => undefined });
        await waitUntil(() => server?.received() !== '');
        asking.unsubscribe();
        // A handshake.
        strictEqual(server.received().charCodeAt(0), 0x16);
      });
    });
  }

  it('reports what is known about a failure, and keeps the rest as its cause', async () => {
    const details = async (url: string) => {
      const { message, cause } = await failure(url);
      const { message: why, code } = cause as Error & { code?: string };
      return { message: message.replace(/ \(GET .*/, ''), why, code };
    };
    server = await rawServer((socket, nth) => {
      if (nth === 0) socket.end(LENGTH);
      else socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n');
    });
    const { url, close } = server;
    const lost = { message: 'the connection was lost: ECONNRESET', code: 'ECONNRESET' };
    deepStrictEqual(await details(url), { ...lost, why: 'the connection was closed in the body' });
    deepStrictEqual(await details(url), { ...lost, why: 'the connection was closed without an answer' });
    await close();
    const unreachable = await details(url);
    strictEqual(unreachable.message, 'the service cannot be reached: ECONNREFUSED');
    strictEqual(unreachable.code, 'ECONNREFUSED');
    const { message, why } = await details('ftp://127.0.0.1/');
    strictEqual(message, 'the connection was lost: Only HTTP(S) protocols are supported');
    match(why, /HTTP\(S\)/);
  });

  describe('with any fetch', () => {
    const response = { status: 200, headers: { get: () => null }, text: () => Promise.resolve('') };
    const answering =
      (answer: Partial<FetchLikeResponse>): FetchLike =>
      () =>
        Promise.resolve({ ...response, ...answer });
    const url = 'http://localhost/';
    const textOf = async (answer: Partial<FetchLikeResponse>, config = {}) =>
      (await lastValueFrom(get(url, { fetch: answering(answer), ...config }))).text;
    const reasonOf = async (answer: Partial<FetchLikeResponse>, config = {}) =>
      (await failure(url, { fetch: answering(answer), ...config })).reason;
    const text = (content: string) => ({ text: () => Promise.resolve(content) });
    const stream = (...chunks: readonly Uint8Array[]) => {
      const left = [...chunks];
      const read = () => {
        const value = left.shift();
        return Promise.resolve(value ? { done: false, value } : { done: true });
      };
      return { body: { getReader: () => ({ read }) } };
    };
    const bytes = (content: string) => new TextEncoder().encode(content);

    it('requests no redirects and no cookies, and sends a body only if it has one', async () => {
      const inits: FetchLikeInit[] = [];
      const fetch: FetchLike = (_, init) => {
        inits.push(init);
        return Promise.resolve(response);
      };
      const transport = fromFetch({ fetch, maxBody: 7 });
      await lastValueFrom(transport({ method: 'GET', url, headers: { a: 'b' } }));
      await lastValueFrom(transport({ method: 'POST', url, headers: {}, body: '' }));
      await lastValueFrom(transport({ method: 'GET', url, headers: {}, maxBody: 3, keepalive: true }));
      const common = { redirect: 'manual', credentials: 'omit' };
      deepStrictEqual(
        inits.map(({ signal, ...init }) => (ok(signal), init)),
        [
          { method: 'GET', headers: { a: 'b' }, ...common, cache: 'no-store' },
          { method: 'POST', headers: {}, body: '', ...common },
          { method: 'GET', headers: {}, ...common, cache: 'no-store', keepalive: true },
        ],
      );
    });

    it('detects every kind of redirect, and nothing else', async () => {
      for (const status of [200, 299, 304, 400]) strictEqual(await textOf({ status }), '');
      strictEqual(await textOf({ type: 'basic', redirected: false }), '');
      for (const answer of [
        ...[300, 301, 399].map(status => ({ status })),
        { status: 0, type: 'opaqueredirect' },
        { redirected: true },
      ]) {
        strictEqual(await reasonOf(answer), 'redirected', JSON.stringify(answer));
      }
      match(
        (await failure(url, { fetch: answering({ status: 302 }) })).message,
        /^the answer was a redirect, which is not followed \(GET /,
      );
    });

    it('reads the whole body, without a byte order mark, whether it is streamed or not', async () => {
      strictEqual(await textOf(text('\ufeff{"a":"\ufeff"}')), '{"a":"\ufeff"}');
      strictEqual(await textOf(text('{"a":"\ufeff"}')), '{"a":"\ufeff"}');
      strictEqual(await textOf({ body: {}, ...text('no reader') }), 'no reader');
      const euro = bytes('\ufeff1 €');
      const split = Array.from(euro, byte => Uint8Array.of(byte));
      strictEqual(await textOf(stream(...split)), '1 €');
      // Cut in the middle of a character.
      strictEqual(await textOf(stream(euro.slice(0, -1))), '1 \ufffd');
    });

    it('accepts a body of maxBody, and refuses a larger one', async () => {
      const config = { maxBody: 4 };
      strictEqual(await textOf(text('1234'), config), '1234');
      strictEqual(await reasonOf(text('12345'), config), 'too_large');
      const fetch = answering(text('12345'));
      const answer$ = fromFetch({ fetch, ...config })({ method: 'GET', url, headers: {}, maxBody: 5 });
      strictEqual((await lastValueFrom(answer$)).text, '12345');
      strictEqual(await textOf(stream(bytes('12'), bytes('34')), config), '1234');
      strictEqual(await reasonOf(stream(bytes('12'), bytes('345')), config), 'too_large');
      match(
        (await failure(url, { fetch: answering(text('12345')), ...config })).message,
        /^the answer is larger than maxBody \(GET /,
      );
    });

    it('counts the bytes of a body that is streamed as text, and refuses what is neither', async () => {
      const iterated = (...parts: readonly unknown[]) => ({
        body: { [Symbol.asyncIterator]: () => from(parts) },
      });
      const read = (...parts: readonly unknown[]) => stream(...(parts as Uint8Array[]));
      const config = { maxBody: 8 };
      for (const streamed of [iterated, read]) {
        strictEqual(await textOf(streamed('\ufeff{"a"', ':1}')), '{"a":1}');
        strictEqual(await textOf(streamed('1 € ', '\ud83d', '\ude00')), '1 € 😀');
        strictEqual(await textOf(streamed('é', bytes('é'), 'é')), 'ééé');
        strictEqual(await textOf(streamed('1 €', ' €'), { maxBody: 9 }), '1 € €');
        strictEqual(await reasonOf(streamed('1 €', ' €'), config), 'too_large');
        strictEqual(await reasonOf(streamed('x', bytes('12345678')), config), 'too_large');
        for (const part of [7, {}, [1], true, { byteLength: 1 }]) {
          const error = await failure(url, { fetch: answering(streamed('x', part)), ...config });
          strictEqual((error.cause as Error).message, 'a part of the body is neither bytes nor text');
        }
      }
    });

    it('classifies a failure by its code, or by the code of its cause', async () => {
      const long = 'x'.repeat(400);
      const UNREACHABLE = 'the service cannot be reached';
      const LOST = 'the connection was lost';
      for (const [thrown, reason, shown, why, code] of [
        [{ code: 'ENOTFOUND', message: 'no' }, 'unreachable', `${UNREACHABLE}: ENOTFOUND`, 'no', 'ENOTFOUND'],
        [
          { cause: { code: 'CERT_X' }, message: 'no' },
          'unreachable',
          `${UNREACHABLE}: CERT_X`,
          'no',
          'CERT_X',
        ],
        [{ code: 'EPIPE', message: long }, 'lost', `${LOST}: EPIPE`, long.slice(0, 300), 'EPIPE'],
        [{ code: 7, message: 'no' }, 'lost', `${LOST}: no`, 'no'],
        [{ cause: { code: 7 }, message: 'no' }, 'lost', `${LOST}: no`, 'no'],
        ['broken', 'lost', `${LOST}: broken`, 'broken'],
        // undici: several addresses of one host; Bun; Deno, which has no codes.
        [
          {
            message: 'fetch failed',
            cause: { errors: [{ code: 'ECONNREFUSED' }, { code: 'ECONNREFUSED' }] },
          },
          'unreachable',
          `${UNREACHABLE}: ECONNREFUSED`,
          'fetch failed',
          'ECONNREFUSED',
        ],
        [
          { code: 'ConnectionRefused', message: 'Unable to connect.' },
          'unreachable',
          `${UNREACHABLE}: ConnectionRefused`,
          'Unable to connect.',
          'ConnectionRefused',
        ],
        [
          { message: 'client error (Connect): refused' },
          'unreachable',
          `${UNREACHABLE}: client error (Connect): refused`,
          'client error (Connect): refused',
        ],
        [
          { message: 'client error (SendRequest)' },
          'lost',
          `${LOST}: client error (SendRequest)`,
          'client error (SendRequest)',
        ],
      ] as const) {
        const error = await failure(url, { fetch: () => Promise.reject(thrown) });
        strictEqual(error.reason, reason);
        strictEqual(error.message, `${shown} (GET ${url})`);
        const { message, ...more } = error.cause as Error;
        strictEqual(message, why);
        deepStrictEqual(more, code === undefined ? {} : { code });
      }
    });
  });

  it('does nothing until it is subscribed to, and sends a new request for each subscription', async () => {
    let calls = 0;
    const counting: FetchLike = () => {
      calls++;
      return Promise.resolve({ status: 200, headers: { get: () => null }, text: () => Promise.resolve('') });
    };
    const answer$ = get('http://localhost/', { fetch: counting });
    strictEqual(calls, 0);
    await lastValueFrom(answer$);
    await lastValueFrom(answer$);
    strictEqual(calls, 2);
  });

  it('reads no more of a body if it is left when that begins to arrive', async () => {
    for (const emptyParts of [0, 2]) {
      let reads = 0;
      const read = () =>
        Promise.resolve({ done: false, value: new Uint8Array(reads++ < emptyParts ? 0 : 1) });
      const body = { getReader: () => ({ read }) };
      const answer = { status: 200, headers: { get: () => null }, body, text: () => Promise.resolve('') };
      const asking = new Subscription();
      const onArrival = () => asking.unsubscribe();
      const request = { method: 'GET', url: 'http://localhost/', headers: {}, onArrival };
      asking.add(fromFetch({ fetch: () => Promise.resolve(answer) })(request).subscribe());
      await waitUntil(() => asking.closed);
      await new Promise(resolve => setImmediate(resolve));
      strictEqual(reads, emptyParts + 1);
    }
  });

  it('uses a separate signal for each request', async () => {
    const signals = new Set<unknown>();
    const keeping: FetchLike = (_, init) => {
      signals.add(init.signal);
      return Promise.resolve({ status: 200, headers: { get: () => null }, text: () => Promise.resolve('') });
    };
    for (let i = 0; i < 5; i++) await firstValueFrom(get('http://localhost/', { fetch: keeping }));
    strictEqual(signals.size, 5);
  });

  it('turns whatever a fetch throws into a TransportError, without the secrets of the request', async () => {
    for (const thrown of [
      new Error('for Bearer s3cret-token'),
      's3cret-token',
      null,
      undefined,
      { code: 7 },
      // What has no text.
      { message: Object.create(null) as unknown },
    ]) {
      const reject: FetchLike = () => Promise.reject(thrown);
      const throwing: FetchLike = () => {
        throw thrown;
      };
      for (const fetch of [reject, throwing]) {
        const request = {
          method: 'GET',
          url: 'http://localhost/',
          headers: { authorization: 'Bearer s3cret-token' },
        };
        const error = await lastValueFrom(fromFetch({ fetch })(request)).catch((e: unknown) => e);
        ok(isTransportError(error));
        const cause = (error.cause as Error | undefined)?.message ?? '';
        ok(!`${error.message} ${error.stack} ${cause}`.includes('s3cret'));
      }
    }
  });
});
