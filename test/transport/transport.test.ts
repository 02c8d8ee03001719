import { deepStrictEqual, rejects, strictEqual } from 'node:assert';
import type { FetchLikeInit } from 'lobby-rx';
import { platformFetch as fetchOfNode } from '../../src/transport/node/platform-fetch.js';
import { platformFetch } from '../../src/transport/platform-fetch.js';
import { secretsOf } from '../../src/transport/transport.js';
import { sentWith } from './sent-with.js';

describe('the secrets of a request', () => {
  const secrets = (authorization: string | undefined, body?: string) =>
    secretsOf({
      method: 'POST',
      url: 'https://group.example/',
      headers: authorization === undefined ? {} : { authorization },
      ...(body !== undefined && { body }),
    });

  it('are its token, and every string of its body', () => {
    deepStrictEqual(secrets(undefined), []);
    deepStrictEqual(secrets('Bearer t0ken'), ['t0ken']);
    deepStrictEqual(secrets('Digest Bearer t0ken'), ['Digest Bearer t0ken']);
    const body = JSON.stringify({ player_token: 'p', of: [1, null, true, { name: 'q' }] });
    deepStrictEqual(secrets('Bearer t0ken', body), ['t0ken', 'p', 'q']);
  });

  it('are the whole body if it is not JSON', () => {
    deepStrictEqual(secrets(undefined, 'player_token=p'), ['player_token=p']);
    deepStrictEqual(secrets('Bearer t0ken', ''), ['t0ken']);
  });
});

describe('the fetch of a browser', () => {
  const platform = globalThis.fetch;
  afterEach(() => {
    globalThis.fetch = platform;
  });

  it('is looked up at each call, and called as a global function', async () => {
    const request = { method: 'GET', url: 'https://group.example/', headers: {} };
    for (const answer of ['first', 'patched']) {
      const fetch = function (this: unknown, ...called: unknown[]) {
        // Browsers refuse to run it as a method of anything else.
        strictEqual(this === undefined || this === globalThis, true);
        const [url, { method, signal }] = called as [string, FetchLikeInit];
        deepStrictEqual(
          [url, method, signal instanceof AbortSignal],
          ['https://group.example/', 'GET', true],
        );
        return Promise.resolve(answer);
      };
      globalThis.fetch = fetch as unknown as typeof platform;
      strictEqual(await sentWith(receiver => platformFetch()(request, receiver)).head, answer);
    }
  });
});

describe('the fetch of Node', () => {
  it('fails if its URL is none', async () => {
    const request = { method: 'GET', url: 'nothing', headers: {} };
    for (const needsFreshConnection of [true, false]) {
      const { head } = sentWith(receiver => fetchOfNode()({ ...request, needsFreshConnection }, receiver));
      await rejects(head, /URL/);
    }
  });
});
