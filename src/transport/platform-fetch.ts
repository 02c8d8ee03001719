import type { FetchLike } from './fetch-like.js';

declare const fetch: FetchLike;

/** The fetch of browsers and everything else that is not Node: their own, looked up at each call, since it may be patched. */
export const platformFetch: FetchLike = (url, init) => fetch(url, init);
