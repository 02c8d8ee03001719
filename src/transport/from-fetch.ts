import {
  asyncScheduler,
  catchError,
  defer,
  finalize,
  from,
  map,
  switchMap,
  throwError,
  timeout,
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
  /** How long the body may take after the headers, in ms. Default 15,000. */
  readonly bodyDeadline?: number;
  /** The clock. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

const OPTIONS: Options<FetchConfig> = {
  fetch: aFunction,
  maxBody: positiveInteger,
  bodyDeadline: milliseconds,
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
    bodyDeadline = 15_000,
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
        cache: 'no-store',
        size: maxBody,
      };
      const answer = (response: FetchLikeResponse) =>
        from(readBody(response, maxBody)).pipe(
          timeout({ first: bodyDeadline, scheduler }),
          map((text): TransportResponse => ({ status: response.status, headers: response.headers, text })),
        );
      return defer(() => from(fetch(request.url, init))).pipe(
        switchMap(response => {
          refuseRedirect(response, request);
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

/** Reads a body as text, up to `maxBody` bytes, regardless of its Content-Length. */
async function readBody(response: FetchLikeResponse, maxBody: number): Promise<string> {
  // A streaming fetch has a reader. cross-fetch in Node has none, but enforces the limit itself.
  const reader = (response.body as { getReader?(): BodyReader } | null | undefined)?.getReader?.();
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
    size += value.byteLength;
    if (size > maxBody) throw new BodyTooLarge();
    text += decoder.decode(value, { stream: true });
  }
}

interface BodyReader {
  read(): Promise<{ done: true; value?: undefined } | { done: false; value: Uint8Array }>;
}

/** It has the same `type` as node-fetch's error, so that one check recognizes both. */
class BodyTooLarge extends Error {
  readonly type = 'max-size';
}
