/** The platform's AbortSignal, whichever library declares it; written so that these types need neither DOM nor Node. */
type Signal = typeof globalThis extends { AbortSignal: { prototype: infer S } } ? S : unknown;

/** What this library asks of a `fetch`. */
export interface FetchLikeInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal: Signal;
  /** Never followed: a redirect would take the token somewhere else. */
  readonly redirect: 'manual';
  /** No cookies: the service knows a caller by the bearer token alone. */
  readonly credentials: 'omit';
  readonly cache: 'no-store';
  /** The most bytes that the body may have, under node-fetch's own name for it. Other fetches ignore it. */
  readonly size: number;
}

/** What this library reads of a response. */
export interface FetchLikeResponse {
  readonly status: number;
  readonly type?: string;
  readonly redirected?: boolean;
  readonly headers: { get(name: string): string | null };
  readonly body?: unknown;
  text(): PromiseLike<string>;
}

/** Any `fetch`: the platform's own, cross-fetch, undici's, a test's. */
export type FetchLike = (url: string, init: FetchLikeInit) => PromiseLike<FetchLikeResponse>;
