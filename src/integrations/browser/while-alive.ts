import { defer, tap, type Observable } from 'rxjs';
import {
  checkpointOf,
  runWhile,
  type ResumableWatch,
  type SharedWatch,
  type WatchSignal,
} from '../../stream/index.js';
import { pageAlive } from './page-alive.js';

/**
 * Watches only while the page is alive. When the page is frozen, or goes into the back/forward
 * cache, the poll ends at once: a browser has few connections to a host, and a cached page would
 * keep its own. When the page comes back, the watch continues from the last checkpoint, so that
 * nothing is lost, or there is a gap if that is expired. Firefox keeps no page that polls: save the
 * checkpoint to continue when it is loaded again. Outside of a page it is the watch itself.
 *
 * Cold. It ends with the watch. It is also a value for the option `share` of a feed or a roster.
 *
 * @example
 * whileAlive(position => client.watchSignals(getMembers, { group_id }, position)).subscribe(
 *   signal => show(signal.kind),
 * );
 */
export function whileAlive<A>(
  watch: ResumableWatch<A>,
  { from }: SharedWatch = {},
): Observable<WatchSignal<A>> {
  return defer(() => {
    let position = from;
    return runWhile(pageAlive(), () => watch(position ? { from: position } : {})).pipe(
      tap(signal => {
        position = checkpointOf(signal) ?? position;
      }),
    );
  });
}
