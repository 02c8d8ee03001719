import { asyncScheduler, defer, finalize, tap } from 'rxjs';
import { guarded, type RequestSummary } from '../error/index.js';
import { explainFailure } from './explain-failure.js';
import { summaryOf, type Transport } from './transport.js';

/**
 * One entry of the log of requests. It holds no token: neither headers nor bodies are in it, and errors are free of them.
 *
 * - `request`: a request was sent.
 * - `answer`, `failure` or `abort`: how it ended, and how long it took, in ms. An answer of any status is an answer.
 */
export type RequestLogEntry = RequestSummary & {
  /** When, in ms since 1970. */
  readonly at: number;
  /** Which request, counted from 1: the entries of one request have the same number. */
  readonly requestId: number;
} & (
    | { readonly kind: 'request' }
    | { readonly kind: 'answer'; readonly status: number; readonly ms: number }
    | { readonly kind: 'failure'; readonly error: unknown; readonly ms: number }
    | { readonly kind: 'abort'; readonly ms: number }
  );

type RequestEnd =
  | { readonly kind: 'abort' }
  | { readonly kind: 'answer'; readonly status: number }
  | { readonly kind: 'failure'; readonly error: unknown };

/**
 * A {@link Transport} that logs each request: when it is sent, and when it is answered, fails or is aborted. Errors of `log`
 * are swallowed.
 *
 * @example
 * const transport = withLog(fromFetch(), entry => console.log(entry.requestId, entry.kind));
 */
export function withLog(
  transport: Transport,
  log: (entry: RequestLogEntry) => void,
  now: () => number = () => asyncScheduler.now(),
): Transport {
  const tell = guarded(log);
  let requests = 0;
  return request =>
    defer(() => {
      const start = now();
      const which = { ...summaryOf(request), requestId: ++requests };
      let hasEnded = false;
      const end = (how: RequestEnd) => {
        if (hasEnded) return;
        hasEnded = true;
        tell({ ...which, ...how, at: now(), ms: now() - start });
      };
      tell({ ...which, kind: 'request', at: start });
      return transport(request).pipe(
        tap({
          next: ({ status }) => end({ kind: 'answer', status }),
          error: (error: unknown) => end({ kind: 'failure', error: explainFailure(error, request) }),
        }),
        finalize(() => end({ kind: 'abort' })),
      );
    });
}
