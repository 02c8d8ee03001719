import { asyncScheduler, filter, map, tap, type Observable } from 'rxjs';
import type { RunHelpers } from 'rxjs/testing';
import type { WatchSignal } from 'lobby-rx';
import type { Answer } from './poll-script.js';

/** A signal in one word: the state, the reason of the gap, or the events. */
export function word(signal: WatchSignal<Answer>): string {
  if (signal.kind === 'status') return signal.status.state;
  if (signal.kind === 'checkpoint') return 'idle';
  return signal.kind === 'gap' ? signal.gap.reason : signal.answer.events.join('+');
}

/**
 * Records signals, except for idle ones, and their times until a given moment. Read the lines after
 * the flush.
 */
export function journal(
  signals$: Observable<WatchSignal<Answer>>,
  { expectObservable }: RunHelpers,
  until: string,
): string[] {
  const lines: string[] = [];
  const noted$ = signals$.pipe(
    filter(({ kind }) => kind !== 'checkpoint'),
    map(word),
    tap({
      next: text => lines.push(`${asyncScheduler.now()} ${text}`),
      error: (error: unknown) => lines.push(`${asyncScheduler.now()} ! ${String(error)}`),
    }),
  );
  expectObservable(noted$, until);
  return lines;
}
