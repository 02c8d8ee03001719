import { defer, map, Observable, take } from 'rxjs';
import { aFunction, anAnswer, answeredAtOnce, checkArgument } from '../error/index.js';
import { flattened } from './awaited.js';
import { continuingWatch } from './continuing-watch.js';
import type { Poll, SinglePoll } from './poll.js';
import type { Indexed, IndexingConfig, PolledService, WatchConfig } from './watch-config.js';
import { watchSettings } from './watch-settings.js';
import { answers, type WatchSignal } from './watch-signal.js';

/**
 * Follows a service by long polling. Emits each answer with news. Each poll sends the index of the
 * last answer. After a failure or an answer without news, it waits before the next poll.
 *
 * It is cold. Each subscription is a separate watch with at most one poll in flight. Unsubscribing
 * aborts the poll. The watch completes only if `ack` decides so, or an answer says that the log is
 * closed (`isClosed` of `read`). It ends only with an error that polling again cannot fix.
 * {@link watchSignals} also emits gaps and status.
 *
 * The watch does not wait until a subscriber has processed an answer. Use `ack` for work that the
 * next poll should wait for.
 *
 * Throws an `InputError` if the config is invalid.
 *
 * @example
 * watch({ ...couchChanges(url), ack }).subscribe(show); // a preset of lobby-rx/services
 *
 * watch(index =>
 *   client.request(changes, { group_id, ...(index && { watch_index: index }) }),
 * ).subscribe(show);
 */
export function watch<A>(poll: Poll<A>, config: IndexingConfig<A>): Observable<A>;
export function watch<A extends Indexed = never, S = never>(
  polled: Poll<A> | (PolledService<S> & WatchConfig<S>),
  config?: WatchConfig<A>,
): Observable<A | S>;
export function watch<A>(
  polled: Poll<A> | (PolledService<A> & WatchConfig<A>),
  config?: WatchConfig<A>,
): Observable<A> {
  return watchSignals<never, A>(polled as PolledService<A>, config).pipe(answers());
}

/**
 * Follows a service by long polling. Emits everything that happens, in order: answers with news,
 * gaps, and changes of status. It is cold. Each subscription is a separate watch with its index and
 * at most one poll in flight.
 *
 * It completes only if `ack` decides so, or an answer says that the log is closed. It ends only
 * with an error that `recovery` declares final. {@link watch} emits only the answers.
 *
 * Throws an `InputError` if the config is invalid.
 *
 * @example
 * watchSignals(index => ajax.getJSON(`/changes?since=${index ?? ''}`)).subscribe(signal => {
 *   if (signal.kind === 'gap') reload();
 * });
 */
export function watchSignals<A>(poll: Poll<A>, config: IndexingConfig<A>): Observable<WatchSignal<A>>;
export function watchSignals<A extends Indexed = never, S = never>(
  polled: Poll<A> | (PolledService<S> & WatchConfig<S>),
  config?: WatchConfig<A>,
): Observable<WatchSignal<A | S>>;
export function watchSignals<A>(
  polled: Poll<A> | (PolledService<A> & WatchConfig<A>),
  given?: WatchConfig<A>,
): Observable<WatchSignal<A>> {
  const service = typeof polled === 'function' ? { poll: polled } : polled;
  const { poll, ...config }: PolledService<A> & WatchConfig<A> = { ...service, ...given };
  checkArgument('poll', aFunction, poll);
  // `take(1)` is here, since a source that emits synchronously without end must be stopped while it
  // emits.
  const single: SinglePoll<A> = (index, context) => {
    context.onSent();
    return flattened(poll(index, context)).pipe(
      take(1),
      map(answer => ({ answer: answeredAtOnce('poll', answer, anAnswer) })),
    );
  };
  const settings = watchSettings(config);
  return defer(() => continuingWatch(single, settings)());
}
