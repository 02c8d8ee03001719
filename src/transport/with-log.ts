import { asyncScheduler, defer, finalize, tap } from 'rxjs';
import { guarded, type RequestSummary } from '../error/index.js';
import { explainFailure } from './explain-failure.js';
import { summaryOf, type Transport } from './transport.js';

/**
 * An entry of the request log. It never contains tokens: headers and bodies are left out, and errors contain none.
 *
 * - `request`: a request was sent.
 * - `answer`, `failure` or `abort`: how it ended, and how long it took, in `ms`. An answer of any status is an `answer`.
 */
export type RequestLogEntry = RequestSummary & {
  /** The time, in ms since 1970. */
  readonly at: number;
  /** The number of the request, starting at 1. All entries of one request have the same number. */
  readonly requestId: number;
  /** The `watchId` of the watch that the request is a poll of; absent if it is none. */
  readonly pollOf?: number;
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
 * Adds logging to a {@link Transport}. `log` is called when a request is sent, and when it is answered, fails or is aborted.
 * Errors thrown by `log` are swallowed.
 *
 * @example
 * const transport = withLog(fromFetch(), entry => console.log(entry.requestId, entry.kind));
 */
export function withLog(
  transport: Transport,
  log: (entry: RequestLogEntry) => void,
  now: () => number = () => asyncScheduler.now(),
): Transport {
  const write = guarded(log);
  let requests = 0;
  return request =>
    defer(() => {
      const start = now();
      const { pollOf } = request;
      const common = { ...summaryOf(request), requestId: ++requests, ...(pollOf && { pollOf }) };
      let hasEnded = false;
      const logEnd = (outcome: RequestEnd) => {
        if (hasEnded) return;
        hasEnded = true;
        write({ ...common, ...outcome, at: now(), ms: now() - start });
      };
      write({ ...common, kind: 'request', at: start });
      return transport(request).pipe(
        tap({
          next: ({ status }) => logEnd({ kind: 'answer', status }),
          error: (error: unknown) => logEnd({ kind: 'failure', error: explainFailure(error, request) }),
        }),
        finalize(() => logEnd({ kind: 'abort' })),
      );
    });
}
