import type { FetchLike } from './fetch-like.js';
import { sendWith } from './send-with.js';
import type { Send } from './send.js';

declare const fetch: FetchLike;

/** A browser does not tell whether a connection was made. */
export const isUnconnected: (error: unknown) => boolean = () => false;

/**
 * Sends with the platform's own `fetch`, outside Node. It is looked up at each call because it may
 * be patched.
 */
export const platformFetch: Send = sendWith((url, init) => fetch(url, init));
