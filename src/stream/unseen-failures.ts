import { config, Observable, type OperatorFunction } from 'rxjs';
import { guarded, textOf } from '../error/index.js';
import type { WatchSignal, WatchStatus } from './watch-signal.js';

/** What `ack` of watches without a `log` has failed with. */
const unlogged = new WeakSet();

/**
 * `ack` has failed, and no log says so. What is no object cannot be remembered, and is not said.
 */
export function markUnlogged(error: unknown): void {
  unlogged.add(Object(error) as object);
}

/**
 * Says what `ack` has failed with, at first and whenever the message is another one: for those who
 * would see nothing but the same events again and again. By `config.onUnhandledError` of RxJS if
 * there is one, else on the console. Nothing is thrown: the watch goes on.
 */
export function unseenFailures(): (status: WatchStatus) => void {
  let said = '';
  return ({ error }) => {
    if (!unlogged.has(error as object) || said === textOf(error)) return;
    said = textOf(error);
    guarded(config.onUnhandledError ?? warn)(error);
  };
}

declare const console: { warn(text: string, error: unknown): void };

const warn = (error: unknown) => console.warn('lobby-rx: ack fails:', error);

/**
 * Like `answers`, for those who see no status. One operator: a process may hold thousands of
 * watches.
 */
export function answersAlone<A>(): OperatorFunction<WatchSignal<A>, A> {
  return signals$ =>
    new Observable(subscriber => {
      const say = unseenFailures();
      return signals$.subscribe({
        next: signal => {
          if (signal.kind === 'answer') subscriber.next(signal.answer);
          else if (signal.kind === 'status') say(signal.status);
        },
        error: (error: unknown) => subscriber.error(error),
        complete: () => subscriber.complete(),
      });
    });
}
