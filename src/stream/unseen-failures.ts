import { config, Observable, type OperatorFunction } from 'rxjs';
import { guarded, textOf } from '../error/index.js';
import type { WatchSignal, WatchStatus } from './watch-signal.js';

/** The errors of `ack` in watches without a `log`. */
const unlogged = new WeakSet();

/**
 * Remembers that `ack` failed in a watch without a log. An error that is no object cannot be
 * remembered, and is not reported.
 */
export function markUnlogged(error: unknown): void {
  unlogged.add(Object(error) as object);
}

/**
 * Reports the error of `ack`: the first one, and each one with another message. Without it, all
 * that people see is the same events again and again. The error goes to `config.onUnhandledError`
 * of RxJS or, if that is not set, to the console. Nothing is thrown, so the watch goes on.
 */
export function unseenFailures(): (status: WatchStatus) => void {
  let reported = '';
  return ({ error }) => {
    if (!unlogged.has(error as object) || reported === textOf(error)) return;
    reported = textOf(error);
    guarded(config.onUnhandledError ?? warn)(error);
  };
}

declare const console: { warn(text: string, error: unknown): void };

const warn = (error: unknown) => console.warn('lobby-rx: ack fails:', error);

/**
 * Like `answers`, for subscribers that see no status. It is one operator, since a process may hold
 * thousands of watches.
 */
export function answersAlone<A>(): OperatorFunction<WatchSignal<A>, A> {
  return signals$ =>
    new Observable(subscriber => {
      const report = unseenFailures();
      return signals$.subscribe({
        next: signal => {
          if (signal.kind === 'answer') subscriber.next(signal.answer);
          else if (signal.kind === 'status') report(signal.status);
        },
        error: (error: unknown) => subscriber.error(error),
        complete: () => subscriber.complete(),
      });
    });
}
