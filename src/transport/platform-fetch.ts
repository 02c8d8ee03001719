import { sendByFetch, type FetchLike } from './send-by-fetch.js';
import type { Send, Unsent } from './send.js';

declare const fetch: FetchLike;

/** A browser does not tell why a request has failed. */
export const whyUnsent: (error: unknown, code: string | undefined) => Unsent | undefined = () => undefined;

/**
 * Makes what sends with the platform's own `fetch`, outside Node. That is looked up at each call
 * because it may be patched.
 */
export const platformFetch = (): Send => sendByFetch((url, init) => fetch(url, init));
