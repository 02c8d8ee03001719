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
 * cache, the poll ends at once. A browser has few connections to a host, and a cached page would
 * keep one of them. When the page comes back, the watch continues from the last checkpoint. Nothing
 * is lost, or there is a gap if the checkpoint is expired. Firefox does not cache a page that
 * polls. Save the checkpoint to continue when the page is loaded again. Outside of a page, the
 * watch just runs.
 *
 * It is cold, and ends with the watch. It is also a value for the option `share` of a feed or a
 * roster.
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
