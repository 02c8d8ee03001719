import type { Observable } from 'rxjs';
import { answers } from './answers.js';
import type { Poll } from './poll.js';
import { watchSignals } from './watch-signals.js';
import type { WatchConfig } from './watch-config.js';

/**
 * Follows a service that answers by blocking watches: one value for each answer that brings something. It sends back the
 * index of the last answer, waits where the service fails or has nothing, and goes on, for ever.
 *
 * Cold: each subscription is a watch of its own, with one poll in flight at the most; unsubscribing aborts it. It never
 * completes, and ends only with an error that no further poll can mend. {@link watchSignals} tells gaps and status too.
 *
 * Throws an `InputError` where the config cannot be meant.
 *
 * @example
 * watch(index => client.request(changes, { group_id, ...(index && { watch_index: index }) })).subscribe(show);
 */
export function watch<A>(poll: Poll<A>, config?: WatchConfig<A>): Observable<A> {
  return watchSignals(poll, config).pipe(answers());
}
