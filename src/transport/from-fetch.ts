import {
  asyncScheduler,
  catchError,
  defer,
  finalize,
  from,
  map,
  merge,
  startWith,
  Subject,
  switchMap,
  take,
  throwError,
  timer,
  type SchedulerLike,
} from 'rxjs';
import { platformFetch } from '#fetch';
import {
  aFunction,
  checkOptions,
  milliseconds,
  positiveInteger,
  schedulerLike,
  TransportError,
  type Options,
} from '../error/index.js';
import { explainFailure } from './explain-failure.js';
import type { FetchLike, FetchLikeInit, FetchLikeResponse } from './fetch-like.js';
import { summaryOf, type Transport, type TransportRequest, type TransportResponse } from './transport.js';

declare const AbortController: new () => { readonly signal: FetchLikeInit['signal']; abort(): void };
declare const TextDecoder: new () => {
  decode(bytes?: Uint8Array, options?: { stream: boolean }): string;
};

/** How {@link fromFetch} carries requests. */
export interface FetchConfig {
  /** The `fetch` to use. Default: cross-fetch with keep-alive in Node, the platform's `fetch` elsewhere. */
  readonly fetch?: FetchLike;
  /** The maximum size of a body, in bytes (in characters if the fetch does not stream). Default 8 MiB. */
  readonly maxBody?: number;
  /** How long the body may take after the headers, in ms, as long as it flows. Default 300,000. */
  readonly bodyDeadline?: number;
  /**
   * How long no part of the body may arrive, in ms; if the fetch does not stream, how long all of it may take. Default 15,000.
   */
  readonly bodySilence?: number;
  /** The clock. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

const OPTIONS: Options<FetchConfig> = {
  fetch: aFunction,
  maxBody: positiveInteger,
  bodyDeadline: milliseconds,
  bodySilence: milliseconds,
  scheduler: schedulerLike,
};

/**
 * Creates a {@link Transport} over `fetch`. Each subscription sends one request with its own AbortController. Unsubscribing
 * aborts it, even while the body is being read. Redirects and bodies larger than `maxBody` are errors.
 *
 * Errors: `TransportError`. Throws an `InputError` if the config is invalid.
 *
 * @example
 * const transport = fromFetch({ maxBody: 65_536 });
 */
export function fromFetch(config: FetchConfig = {}): Transport {
  checkOptions(config, OPTIONS);
  const {
    fetch = platformFetch,
    maxBody = 8 * 2 ** 20,
    bodyDeadline = 300_000,
    bodySilence = 15_000,
    scheduler = asyncScheduler,
  } = config;
  return request =>
    defer(() => {
      // One controller per request: listeners on a long-lived signal would accumulate.
      const controller = new AbortController();
      const init: FetchLikeInit = {
        method: request.method,
        headers: { ...request.headers },
        ...(request.body !== undefined && { body: request.body }),
        signal: controller.signal,
        redirect: 'manual',
        credentials: 'omit',
        size: maxBody,
        ...(request.needsFreshConnection && { needsFreshConnection: true }),
      };
      const answer = (response: FetchLikeResponse) => {
        const chunk$ = new Subject<void>();
        const text$ = from(readBody(response, maxBody, () => chunk$.next()));
        const silence$ = chunk$.pipe(
          startWith(undefined),
          switchMap(() => timer(bodySilence, scheduler)),
        );
        const late$ = merge(timer(bodyDeadline, scheduler), silence$).pipe(
          map(() => {
            throw new TransportError('lost', 'the body of the answer stalled', summaryOf(request));
          }),
        );
        return merge(text$, late$).pipe(
          take(1),
          map((text): TransportResponse => ({ status: response.status, headers: response.headers, text })),
        );
      };
      return defer(() => from(fetch(request.url, init))).pipe(
        switchMap(response => {
          refuseRedirect(response, request);
          request.onArrival?.(response.status);
          return answer(response);
        }),
        catchError((error: unknown) => throwError(() => explainFailure(error, request))),
        finalize(() => controller.abort()),
      );
    });
}

/** Throws if the answer is a redirect, or if the fetch followed one despite `redirect: 'manual'`. */
function refuseRedirect({ status, type, redirected }: FetchLikeResponse, request: TransportRequest): void {
  const isRedirect = status >= 300 && status < 400 && status !== 304;
  if (!isRedirect && type !== 'opaqueredirect' && redirected !== true) return;
  throw new TransportError(
    'redirected',
    'the answer was a redirect, which is not followed',
    summaryOf(request),
  );
}

/** Reads a body as text, up to `maxBody` bytes, regardless of its Content-Length. Calls `onChunk` for each part. */
async function readBody(response: FetchLikeResponse, maxBody: number, onChunk: () => void): Promise<string> {
  const reader = readerOf(response.body);
  if (!reader) {
    const text = await response.text();
    if (text.length > maxBody) throw new BodyTooLarge();
    // Unlike other fetches, node-fetch does not remove a byte order mark, which JSON does not allow.
    return text.replace(/^\ufeff/, '');
  }
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    onChunk();
    size += value.byteLength;
    if (size > maxBody) throw new BodyTooLarge();
    text += decoder.decode(value, { stream: true });
  }
}

/** A streaming fetch has a reader, or, like node-fetch, an iterator. */
function readerOf(body: unknown): BodyReader | undefined {
  const streamed = body as {
    getReader?(): BodyReader;
    [Symbol.asyncIterator]?(): AsyncIterator<Uint8Array>;
  } | null;
  if (streamed?.getReader) return streamed.getReader();
  const iterator = streamed?.[Symbol.asyncIterator]?.();
  return iterator && { read: () => iterator.next() as ReturnType<BodyReader['read']> };
}

interface BodyReader {
  read(): Promise<{ done: true; value?: undefined } | { done: false; value: Uint8Array }>;
}

/** It has the same `type` as node-fetch's error, so that one check recognizes both. */
class BodyTooLarge extends Error {
  readonly type = 'max-size';
}
