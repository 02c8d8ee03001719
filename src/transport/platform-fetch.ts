import type { FetchLike } from './fetch-like.js';

declare const fetch: FetchLike;

/** The default fetch outside Node: the platform's own, looked up at each call because it may be patched. */
export const platformFetch: FetchLike = (url, init) => fetch(url, init);
