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
import { checkArgument, milliseconds, positiveInteger } from '../protocol/index.js';
import type { FetchLike, FetchLikeInit, FetchLikeResponse } from './fetch-like.js';
import { explainFailure } from './explain-failure.js';
import { readBody } from './read-body.js';
import { refuseRedirect } from './refuse-redirect.js';
import type { Transport, TransportResponse } from './transport.js';

declare const AbortController: new () => { readonly signal: FetchLikeInit['signal']; abort(): void };

/** How {@link fromFetch} carries requests. */
export interface FetchConfig {
  /** The `fetch` to use. Default: cross-fetch in Node, with sockets kept alive, and the platform's own elsewhere. */
  readonly fetch?: FetchLike;
  /** The most bytes that an answer may have (characters, where a fetch neither streams nor limits). Default 8 MiB. */
  readonly maxBody?: number;
  /** How long a body may take once the headers are there, in ms. Default 15,000. */
  readonly bodyDeadline?: number;
  /** What time is read from. */
  readonly scheduler?: SchedulerLike;
}

/**
 * A {@link Transport} over `fetch`. Each subscription is one request with an AbortController of its own; unsubscribing
 * aborts it, the reading of its body included. Redirects are refused, and an answer larger than `maxBody` too.
 *
 * Errors: `TransportError`.
 *
 * @example
 * const transport = fromFetch({ maxBody: 65_536 });
 */
export function fromFetch(config: FetchConfig = {}): Transport {
  const {
    fetch = platformFetch,
    maxBody = 8 * 2 ** 20,
    bodyDeadline = 15_000,
    scheduler = asyncScheduler,
  } = config;
  checkArgument('maxBody', positiveInteger, maxBody);
  checkArgument('bodyDeadline', milliseconds, bodyDeadline);
  return request =>
    defer(() => {
      // One for each request: listeners on a signal that lives on would pile up.
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
