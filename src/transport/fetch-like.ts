/** The platform's AbortSignal type, if there is one, so that these types depend on neither DOM nor Node. */
type Signal = typeof globalThis extends { AbortSignal: { prototype: infer S } } ? S : unknown;

/** The options that this library passes to a `fetch`. */
export interface FetchLikeInit {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: Signal;
  /** Redirects are never followed, because they would send the token to another server. */
  readonly redirect: 'manual';
  /** No cookies: the service identifies callers by the bearer token only. */
  readonly credentials: 'omit';
  /** The request has to be completed although the page goes away. */
  readonly keepalive?: boolean;
  /** Kept connections may be dead: open a new one. The default fetch in Node does; one of your own has to, if it keeps connections. */
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

/** The parts of a response that a transport reads, of whatever kind it is. */
export interface SentResponse extends Omit<FetchLikeResponse, 'text'> {
  /** Used instead of the body. */
  readonly eachPart?: EachPart;
  /** Used if the body does not stream. */
  text?(): PromiseLike<string>;
}

/** Calls back with each part of a body until it ends or fails, or the callback throws. */
export type EachPart = (onPart: (part: Uint8Array | string) => void) => Promise<void>;

/** A request that has been sent. */
export interface SentRequest {
  readonly response: PromiseLike<SentResponse>;
  /** Gives up the answer, even while its body is being read. */
  readonly abort: () => void;
}

/** Sends a request. It never throws. */
export type Send = (url: string, init: Omit<FetchLikeInit, 'signal'>) => SentRequest;

declare const AbortController: new () => { readonly signal: FetchLikeInit['signal']; abort(): void };

/** Sends with a `fetch`, each request with a signal of its own: listeners on a long-lived one would accumulate. */
export function sendWith(fetch: FetchLike): Send {
  return (url, init) => {
    const controller = new AbortController();
    return {
      response: new Promise(resolve =>
        resolve(fetch(url, { ...init, headers: { ...init.headers }, signal: controller.signal })),
      ),
      abort: () => controller.abort(),
    };
  };
}
