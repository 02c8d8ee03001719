import { strictEqual } from 'node:assert';
import { gzipSync } from 'node:zlib';
import { lastValueFrom } from 'rxjs';
import { fromFetch, type Transport } from 'lobby-rx';
import { rawServer, type RawServer } from '../../raw-server.js';
import { waitUntil } from '../../wait-until.js';
import { IN_NODE } from './in-node.js';

const head = (more: string) => `HTTP/1.1 200 OK\r\n${more}\r\n\r\n`;
const text = JSON.stringify({ members: 'x'.repeat(100_000) });

describe('bytes after a complete answer', () => {
  const small = gzipSync('{}');
  const answers: readonly (readonly [string, string, Buffer | string, string])[] = [
    ['of a small length', head('Content-Length: 2'), '{}', '{}'],
    ['of a large length', head(`Content-Length: ${text.length}`), text, text],
    ['in chunks', head('Transfer-Encoding: chunked'), '2\r\n{}\r\n0\r\n\r\n', '{}'],
    ['that is compressed', head(`Content-Encoding: gzip\r\nContent-Length: ${small.length}`), small, '{}'],
    ['without a body', head('Content-Length: 0'), '', ''],
  ];
  let server: RawServer;
  afterEach(() => server.close());

  const transports: readonly (readonly [string, () => Transport])[] = [
    ...IN_NODE,
    ['the fetch of Node', () => fromFetch({ fetch: fetch })],
  ];
  for (const [name, create] of transports) {
    for (const [what, start, body, expected] of answers) {
      it(`change nothing, and end the connection: ${what}, with ${name}`, async () => {
        const whole = Buffer.concat([start, body, 'more'].map(part => Buffer.from(part)));
        server = await rawServer(socket => socket.write(whole));
        const request = { method: 'GET', url: server.url, headers: {} };
        for (let n = 0; n < 3; n++) strictEqual((await lastValueFrom(create()(request))).text, expected);
        strictEqual(server.sockets.length, 3);
        await waitUntil(() => server.sockets.every(socket => socket.destroyed));
      });
    }
  }

  for (const [name, create] of IN_NODE) {
    it(`spoil no later answer if they come later, with ${name}`, async () => {
      server = await rawServer(socket => socket.write(`${head('Content-Length: 2')}{}`));
      const request = { method: 'GET', url: server.url, headers: {} };
      for (let n = 0; n < 3; n++) {
        strictEqual((await lastValueFrom(create()(request))).text, '{}');
        await new Promise<void>(resolve =>
          server.sockets.at(-1)?.write('HTTP/1.1 500 No\r\n', () => resolve()),
        );
      }
    });
  }
});
