import { asyncScheduler, defer, finalize, tap } from 'rxjs';
import { quietly, type LogEntry } from '../protocol/index.js';
import { explainFailure } from './explain-failure.js';
import { summaryOf } from './summary-of.js';
import type { Transport } from './transport.js';

/**
 * A {@link Transport} that tells of each request: that it went out, and then that it was answered, failed or was aborted.
 * What it tells has no headers and no bodies in it, and so no tokens.
 *
 * @example
 * const transport = withLog(fromFetch(), entry => console.log(entry.kind));
 */
export function withLog(
  transport: Transport,
  log: (entry: LogEntry) => void,
  now: () => number = () => asyncScheduler.now(),
): Transport {
  const tell = quietly(log);
  return request =>
    defer(() => {
      const start = now();
      const summary = summaryOf(request);
      let isTold = false;
      const end = (
        entry: { kind: 'abort' } | { kind: 'answer'; status: number } | { kind: 'failure'; error: unknown },
      ) => {
        if (isTold) return;
        isTold = true;
        tell({ ...summary, ...entry, at: now(), ms: now() - start });
      };
      tell({ kind: 'request', ...summary, at: start });
      return transport(request).pipe(
        tap({
          next: ({ status }) => end({ kind: 'answer', status }),
          error: (error: unknown) => end({ kind: 'failure', error: explainFailure(error, request) }),
        }),
        finalize(() => end({ kind: 'abort' })),
      );
    });
}
