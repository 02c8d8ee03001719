/**
 * The platform's AbortSignal type, otherwise `unknown`, so that these types depend on neither DOM
 * nor Node.
 */
type Signal = typeof globalThis extends { AbortSignal: { prototype: infer S } } ? S : unknown;

/** The options that this library passes to a `fetch`. */
export interface FetchLikeInit {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: Signal;
  /** Redirects are never followed, because they would send the token to another server. */
  readonly redirect: 'manual';
  /** No cookies are sent, since the service identifies callers by the bearer token only. */
  readonly credentials: 'omit';
  /**
   * No cache answers for the service, as Firefox's does in a page that is loaded again by "back".
   * No request waits for an open one to the same URL. The option is set where the platform has it.
   */
  readonly cache?: 'no-store';
  /** Whether the request has to be completed although the page goes away. */
  readonly keepalive?: boolean;
  /**
   * Kept connections may be dead. Open a new one. The default fetch in Node does so. A custom fetch
   * has to, if it keeps connections.
   */
  readonly needsFreshConnection?: boolean;
}

/** The parts of a response that this library reads. */
export interface FetchLikeResponse {
  readonly status: number;
  readonly type?: string;
  readonly redirected?: boolean;
  readonly headers: { get(name: string): string | null };
  readonly body?: unknown;
  text(): PromiseLike<string>;
}

/** Any `fetch` function: the platform's, cross-fetch, undici's or a fake one for tests. */
export type FetchLike = (url: string, init: FetchLikeInit) => PromiseLike<FetchLikeResponse>;
