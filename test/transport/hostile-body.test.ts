import { ok, strictEqual } from 'node:assert';
import { createHook } from 'node:async_hooks';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { lastValueFrom } from 'rxjs';
import { fromFetch, isTransportError } from 'lobby-rx';
import { fromHttp } from 'lobby-rx/node';
import { rawServer, type RawServer } from '../raw-server.js';
import { virtualTime } from '../virtual-time.js';
import { waitUntil } from '../wait-until.js';

const request = { method: 'GET', url: 'https://a.example/', headers: {} };
const settle = () => new Promise(resolve => setImmediate(resolve));

/**
 * Counts the parts that any decompressor of this process has given: of 200 MiB they would be
 * thousands.
 */
function decompression() {
  const streams = new Set<number>();
  let parts = 0;
  const hook = createHook({
    init: (id, type) => type === 'ZLIB' && streams.add(id),
    before: id => streams.has(id) && parts++,
  }).enable();
  return { parts: () => parts, stop: () => hook.disable() };
}

describe('a hostile body', () => {
  let server: RawServer | undefined;
  let decompressed: ReturnType<typeof decompression>;
  beforeEach(() => {
    decompressed = decompression();
  });
  afterEach(() => {
    decompressed.stop();
    return server?.close();
  });

  for (const [name, create] of [
    ['cross-fetch', fromFetch],
    ['node:http', fromHttp],
  ] as const) {
    it(`is not decompressed beyond the limit, although all of it has come, with ${name}`, async () => {
      const size = 200 * 2 ** 20;
      const bomb = brotliCompressSync(Buffer.alloc(size), {
        params: { [constants.BROTLI_PARAM_QUALITY]: 5 },
      });
      ok(bomb.length < 10_000);
      server = await rawServer(socket => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: ${bomb.length}\r\n\r\n`);
        socket.write(bomb);
      });
      const reason = await lastValueFrom(create()({ ...request, url: server.url })).then(
        () => 'read',
        (error: unknown) => isTransportError(error) && error.reason,
      );
      strictEqual(reason, 'too_large');
      const before = decompressed.parts();
      await new Promise(resolve => setTimeout(resolve, 100));
      const after = decompressed.parts();
      ok(before > 0, 'nothing was decompressed');
      ok(after - before < 10, `${after - before} more parts were decompressed`);
    });

    it(`leaves no connection open if more follows its compressed part, with ${name}`, async () => {
      const body = gzipSync('{}');
      const started = await rawServer(socket => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n');
        socket.write(`${(body.length + 4).toString(16)}\r\n`);
        socket.write(Buffer.concat([body, Buffer.from('\0\0\0\0\r\n')]));
      });
      server = started;
      for (let n = 0; n < 5; n++) {
        const { text } = await lastValueFrom(create()({ ...request, url: started.url }));
        strictEqual(text, '{}');
      }
      strictEqual(started.sockets.length, 5);
      await waitUntil(() => started.sockets.every(socket => socket.destroyed));
    }).timeout(5_000);
  }

  it('is given up in time if it stalls, although the clock is set back', async () => {
    const { scheduler, pass } = virtualTime();
    let back = 0;
    const clock = {
      now: () => scheduler.now() - back,
      schedule: scheduler.schedule.bind(scheduler),
    };
    const parts = [{ done: false, value: new Uint8Array(1) }];
    const read = () => parts.pop() ?? new Promise(() => undefined);
    const body = { getReader: () => ({ read }) };
    const response = { status: 200, headers: { get: () => null }, body, text: () => Promise.resolve('') };
    const ends: string[] = [];
    fromFetch({ fetch: () => Promise.resolve(response), scheduler: clock })(request).subscribe({
      error: (error: unknown) => ends.push(String(error)),
    });
    await settle();
    back = 3_600_000;
    pass(14_999);
    strictEqual(ends.length, 0);
    pass(1);
    strictEqual(ends.length, 1);
  });
});
