import { defer, Observable, type OperatorFunction } from 'rxjs';
import { watchSettings, type Poll, type WatchConfig } from './watch-config.js';
import { repeatMemory } from './watch-memory.js';
import { continuedSignals } from './continued-signals.js';
import type { WatchSignal } from './watch-signal.js';

/**
 * Follows a service by long polling. Emits each answer with news. Each poll sends the index of the last answer; after
 * failures and answers without news it waits before the next poll.
 *
 * Cold: each subscription is a separate watch with at most one poll in flight; unsubscribing aborts it. It completes only if
 * `ack` decides so, and ends only with an error that polling again cannot fix. {@link watchSignals} also emits gaps and status.
 *
 * An answer is emitted without waiting for the subscriber: `concatMap` queues without a bound if it is slower than the service.
 * Use `ack` for work that the next poll should wait for, or that must not be lost.
 *
 * Throws an `InputError` if the config is invalid.
 *
 * @example
 * watch(index => client.request(changes, { group_id, ...(index && { watch_index: index }) })).subscribe(show);
 */
export function watch<A>(poll: Poll<A>, config?: WatchConfig<A>): Observable<A> {
  return watchSignals(poll, config).pipe(answers());
}

/**
 * Keeps only the answers of a watch.
 *
 * @example
 * watchSignals(poll).pipe(answers()).subscribe(show);
 */
export function answers<A>(): OperatorFunction<WatchSignal<A>, A> {
  return signals$ =>
    // One operator, not `filter` and `map`: a process may hold thousands of watches.
    new Observable(subscriber =>
      signals$.subscribe({
        next: signal => {
          if (signal.kind === 'answer') subscriber.next(signal.answer);
        },
        error: (error: unknown) => subscriber.error(error),
        complete: () => subscriber.complete(),
      }),
    );
}

/**
 * Follows a service by long polling. Emits everything that happens, in order: answers with news, gaps, and changes of status.
 * Cold: each subscription is a separate watch with its own index and at most one poll in flight.
 *
 * It completes only if `ack` decides so, and ends only with an error that `recovery` declares final; everything else is retried.
 * Unsubscribing aborts the poll at once. {@link watch} emits only the answers.
 *
 * Throws an `InputError` if the config is invalid.
 *
 * @example
 * watchSignals(index => ajax.getJSON(`/changes?since=${index ?? ''}`)).subscribe(signal => {
 *   if (signal.kind === 'gap') reload();
 * });
 */
export function watchSignals<A>(poll: Poll<A>, config: WatchConfig<A> = {}): Observable<WatchSignal<A>> {
  const settings = watchSettings(config);
  return defer(() => continuedSignals(poll, settings, { memory: repeatMemory(settings.keyOf) }));
}
