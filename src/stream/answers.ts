import { concatMap, type OperatorFunction } from 'rxjs';
import type { WatchSignal } from './watch-signal.js';

/** Of everything that happens in a watch, the answers alone. */
export function answers<A>(): OperatorFunction<WatchSignal<A>, A> {
  return concatMap(signal => (signal.kind === 'answer' ? [signal.answer] : []));
}
