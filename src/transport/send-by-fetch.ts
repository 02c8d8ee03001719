import { tryOr } from '../error/index.js';
import type { Receiver, Send, SentRequest } from './send.js';
import type { TransportRequest } from './transport.js';

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

declare const AbortController: new () => { readonly signal: FetchLikeInit['signal']; abort(): void };

/** Sends with a `fetch`. */
export function sendByFetch(fetch: FetchLike): Send {
  return (request, receiver) => {
    const sent = new FetchRequest(receiver);
    sent.send(fetch, request).then(undefined, (error: unknown) => receiver.onFailure(error));
    return sent;
  };
}

/** A request with a separate signal, since listeners on a long-lived one would accumulate. */
class FetchRequest implements SentRequest {
  readonly #receiver: Receiver;
  readonly #controller = new AbortController();
  #isAborted = false;

  constructor(receiver: Receiver) {
    this.#receiver = receiver;
  }

  async send(fetch: FetchLike, request: TransportRequest): Promise<void> {
    const { method, url, headers, body, keepalive, needsFreshConnection } = request;
    const response = await fetch(url, {
      method,
      headers: { ...headers },
      redirect: 'manual',
      credentials: 'omit',
      signal: this.#controller.signal,
      ...(body !== undefined && { body }),
      ...(keepalive && { keepalive }),
      ...(needsFreshConnection && { needsFreshConnection }),
      ...(method === 'GET' && mayForbidCache() && { cache: 'no-store' }),
    });
    if (this.#isAborted) return;
    this.#receiver.onHead(response);
    await this.#receiveBody(response);
  }

  abort(): void {
    this.#isAborted = true;
    this.#controller.abort();
  }

  async #receiveBody(response: FetchLikeResponse): Promise<void> {
    // A redirect is given up as soon as its head has come.
    if (this.#isAborted) return;
    const nextPart = partsOf(response.body);
    if (nextPart) await this.#receiveParts(nextPart);
    else this.#receiver.onEnd(await response.text());
  }

  async #receiveParts(nextPart: NextPart): Promise<void> {
    for (let part = await nextPart(); !part.done; part = await nextPart()) {
      this.#receiver.onPart(part.value);
      // A custom fetch may go on after an abort.
      if (this.#isAborted) return;
    }
    this.#receiver.onEnd();
  }
}

type RequestClass = new (url: string, init: object) => { readonly cache?: unknown; readonly url: string };

declare const Request: RequestClass | undefined;

let forbidsCache: boolean | undefined;

/** Whether requests may forbid caches. The platform is asked once. */
function mayForbidCache(): boolean {
  forbidsCache ??= keepsNoStore(typeof Request === 'undefined' ? undefined : Request);
  return forbidsCache;
}

/**
 * Whether `cache: 'no-store'` forbids caches on this platform, and nothing else. React Native adds
 * the time to the URL for it, and workerd throws for older compatibility dates.
 */
export function keepsNoStore(requests: RequestClass | undefined): boolean {
  const url = 'https://probe.invalid/';
  return tryOr(() => {
    const request = requests && new requests(url, { cache: 'no-store' });
    return request?.cache === 'no-store' && request.url === url;
  }, false);
}

type NextPart = () => Promise<IteratorResult<Uint8Array | string>>;

/** Reads a body that streams. It has a reader or, like the body of node-fetch, an iterator. */
function partsOf(body: unknown): NextPart | undefined {
  const streamed = body as {
    getReader?(): { read: NextPart };
    [Symbol.asyncIterator]?(): { next: NextPart };
  } | null;
  const reader = streamed?.getReader?.();
  if (reader) return () => reader.read();
  const iterator = streamed?.[Symbol.asyncIterator]?.();
  return iterator && (() => iterator.next());
}
