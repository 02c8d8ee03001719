import { sendByFetch, type FetchLike } from './send-by-fetch.js';
import type { Send } from './send.js';

declare const fetch: FetchLike;

/** A browser does not tell whether a connection was made. */
export const isUnconnected: (error: unknown) => boolean = () => false;

/**
 * Makes what sends with the platform's own `fetch`, outside Node. That is looked up at each call
 * because it may be patched.
 */
export const platformFetch = (): Send => sendByFetch((url, init) => fetch(url, init));
