import { concatMap, type Observable } from 'rxjs';
import type { WatchSignal } from '../watch-signal.js';
import { bufferWhile, partsOf, type Audience } from './audience.js';
import { runWhile } from './run-while.js';

/**
 * Runs a watch that knows no audience, while this audience is active. Signals that come while it is
 * absent are queued, except for the status. `drops` is called when the audience comes back, and
 * returns whether the queued signals are dropped.
 */
export function queuedSignals<A>(
  run: () => Observable<WatchSignal<A>>,
  audience: Omit<Audience<A>, 'deliver'>,
  drops: (queuedCount: number) => boolean = () => false,
): Observable<WatchSignal<A>> {
  return runWhile(audience.isActive$, run).pipe(
    concatMap(signal => partsOf(signal, audience.split)),
    bufferWhile(audience.isAbsent$, {
      bypasses: ({ kind }) => kind === 'status',
      replacedBy: queuedCount => (drops(queuedCount) ? [] : undefined),
    }),
  );
}
