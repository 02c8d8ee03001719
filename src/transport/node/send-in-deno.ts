import { sendByFetch, type FetchLike, type FetchLikeInit } from '../send-by-fetch.js';
import type { Send } from '../send.js';

declare const fetch: FetchLike;

/** A pool of connections for Deno's `fetch`. */
interface DenoHttpClient {
  close(): void;
}

declare const Deno: {
  createHttpClient(options: { readonly poolMaxIdlePerHost: number }): DenoHttpClient;
};

/** Keeps no connection, so that each request gets a new one. */
let singleUse: DenoHttpClient | undefined;

/**
 * Sends with Deno's `fetch`. It sends a request a second time if a kept connection dies, also a
 * POST. On a new connection it sends it once.
 */
export const sendInDeno: Send = sendByFetch((url, init) => {
  if (init.method === 'GET' && !init.needsFreshConnection) return fetch(url, init);
  singleUse ??= Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  const withClient: FetchLikeInit & { readonly client: object } = { ...init, client: singleUse };
  return fetch(url, withClient);
});
