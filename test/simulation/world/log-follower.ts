import { map, takeUntil } from 'rxjs';
import { recovery, watchSignals, type IndexingConfig, type TransportResponse } from 'lobby-rx';
import { IDS, type LogAnswer } from './log-service.js';
import type { Surroundings } from './subscriber.js';

/** An answer that is not 2xx. */
class HttpError extends Error {
  readonly status: number;
  /** What it asks to wait, in ms. */
  readonly retryAfter: number | undefined;

  constructor(status: number, retryAfter: number | undefined) {
    super(`HTTP ${status}`);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

type LogWatch = Partial<Pick<IndexingConfig<LogAnswer>, 'redelivers' | 'read' | 'isOlder' | 'retention'>>;

/** Follows a log by `watchSignals`, as one writes it for a service that is not this library's. */
export function followLog(config: LogWatch, surroundings: Surroundings): { close(): void } {
  const { clocks, journal, transport, random, wake$, end$ } = surroundings;
  const idsOf = new WeakMap<LogAnswer, readonly number[]>();
  const readAnswer = ({ status, headers, text }: TransportResponse): LogAnswer => {
    if (status > 299) throw new HttpError(status, waitOf(headers));
    const answer = JSON.parse(text) as LogAnswer | null;
    if (!Array.isArray(answer?.items)) throw new Error('this is no answer of the log');
    const { index, end = index, log, isTruncated = false } = answer;
    journal.add({ kind: 'read', index: end, handle: log, isTruncated });
    idsOf.set(answer, JSON.parse(headers.get(IDS) ?? '[]') as number[]);
    return answer;
  };
  const following = watchSignals<LogAnswer>(
    (index, { onArrival, needsFreshConnection }) => {
      const url = `https://log.test/log${index === undefined ? '' : `?watch_index=${index}`}`;
      const request = { method: 'GET', url, headers: {}, onArrival, needsFreshConnection } as const;
      return transport({ ...request, kind: 'poll' }).pipe(map(readAnswer));
    },
    {
      indexOf: 'index',
      recovery: error =>
        error instanceof HttpError
          ? { kind: 'retry', mayBeCut: error.status !== 500, retryAfter: error.retryAfter }
          : recovery(error),
      wake$,
      scheduler: clocks.client,
      testing: { random, monotonic: clocks.monotonic },
      ...config,
    },
  )
    .pipe(takeUntil(end$))
    .subscribe({
      next: signal => {
        if (signal.kind === 'gap') journal.add({ kind: 'gap', reason: signal.gap.reason });
        if (signal.kind === 'status') journal.add({ kind: 'status', state: signal.status.state });
        if (signal.kind === 'answer') journal.add({ kind: 'delivered', ids: idsOf.get(signal.answer)! });
      },
      error: (error: unknown) => journal.add({ kind: 'ended', error }),
    });
  return { close: () => following.unsubscribe() };
}

/** A date is that of the service's clock. */
function waitOf(headers: TransportResponse['headers']): number | undefined {
  const after = headers.get('retry-after');
  if (after === null) return undefined;
  if (/^\d+$/.test(after)) return Number(after) * 1_000;
  return Date.parse(after) - Date.parse(headers.get('date') ?? '');
}
