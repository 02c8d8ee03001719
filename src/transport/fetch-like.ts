import type { Receiver, Send, SentRequest } from './send.js';

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

declare const AbortController: new () => { readonly signal: FetchLikeInit['signal']; abort(): void };

/** Sends with a `fetch`. */
export function sendWith(fetch: FetchLike): Send {
  return (url, init, receiver) => {
    const request = new FetchRequest(receiver);
    request.send(fetch, url, init).then(undefined, (error: unknown) => receiver.onFailure(error));
    return request;
  };
}

/** A request with a signal of its own: listeners on a long-lived one would accumulate. */
class FetchRequest implements SentRequest {
  readonly #receiver: Receiver;
  readonly #controller = new AbortController();
  #isAborted = false;

  constructor(receiver: Receiver) {
    this.#receiver = receiver;
  }

  async send(fetch: FetchLike, url: string, init: Parameters<Send>[1]): Promise<void> {
    const { signal } = this.#controller;
    const response = await fetch(url, { ...init, headers: { ...init.headers }, signal });
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
      // A fetch of the caller's may go on after an abort.
      if (this.#isAborted) return;
    }
    this.#receiver.onEnd();
  }
}

type NextPart = () => Promise<IteratorResult<Uint8Array | string>>;

/** Reads a body that streams. It has a reader, or, like that of node-fetch, an iterator. */
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
