import { deepStrictEqual, strictEqual } from 'node:assert';
import { lastValueFrom } from 'rxjs';
import { isTransportError } from 'lobby-rx';
import { rawServer, type RawServer } from '../../raw-server.js';
import { waitUntil } from '../../wait-until.js';
import { IN_NODE, ok200 } from './in-node.js';

for (const [name, create] of IN_NODE) {
  describe(`a GET whose kept socket dies, with ${name}`, () => {
    let server: RawServer;
    let requests: number;
    beforeEach(async () => {
      requests = 0;
      // The second request is held.
      server = await rawServer((socket, nth) => {
        requests++;
        if (nth !== 1) socket.write(ok200('{}'));
      });
    });
    afterEach(async () => {
      Reflect.deleteProperty(performance, 'now');
      await server.close();
    });

    /** How it ends if the server closes the connection after so many ms. */
    async function endAfter(ms: number): Promise<unknown> {
      const request = { method: 'GET', url: server.url, headers: {} };
      await lastValueFrom(create()(request));
      performance.now = () => 5_000;
      const ended = lastValueFrom(create()(request)).then(
        ({ text }) => text,
        (error: unknown) => isTransportError(error) && error.reason,
      );
      await waitUntil(() => requests === 2);
      performance.now = () => 5_000 + ms;
      server.sockets[0]?.destroy();
      return ended;
    }

    it('is sent once more, on a new socket, if the socket dies within a second', async () => {
      strictEqual(await endAfter(1_000), '{}');
      deepStrictEqual([requests, server.sockets.length], [3, 2]);
    });

    it('is lost if the socket dies later, since the server may have had it', async () => {
      strictEqual(await endAfter(1_001), 'lost');
      deepStrictEqual([requests, server.sockets.length], [2, 1]);
    });
  });
}
