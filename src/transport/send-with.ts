import { tryOr } from '../error/index.js';
import type { FetchLike, FetchLikeInit, FetchLikeResponse } from './fetch-like.js';
import type { Receiver, Send, SentRequest } from './send.js';

declare const AbortController: new () => { readonly signal: FetchLikeInit['signal']; abort(): void };

/** Sends with a `fetch`. */
export function sendWith(fetch: FetchLike): Send {
  return (url, init, receiver) => {
    const request = new FetchRequest(receiver);
    request.send(fetch, url, init).then(undefined, (error: unknown) => receiver.onFailure(error));
    return request;
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

  async send(fetch: FetchLike, url: string, init: Parameters<Send>[1]): Promise<void> {
    const { signal } = this.#controller;
    const response = await fetch(url, {
      ...init,
      headers: { ...init.headers },
      signal,
      ...(init.method === 'GET' && mayForbidCache() && { cache: 'no-store' }),
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
