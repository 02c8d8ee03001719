import { map, merge, of, switchMap, take, timer, type Observable } from 'rxjs';
import type { World } from '../world/index.js';
import type { ServiceSettings } from './service-config.js';

/**
 * Emits once, when a blocking watch must be answered. That is `collectTime` after the first change
 * of one of these identities and groups, so that changes in quick succession share an answer.
 * Without a change, it is after `blockTime`.
 */
export function nextChange(
  ids: Iterable<string>,
  { changes, scheduler }: World,
  { blockTime, collectTime }: ServiceSettings,
): Observable<unknown> {
  const timedOut$ = timer(blockTime, scheduler).pipe(map(() => of(0)));
  const changedOne$ = changes.of(ids).pipe(map(() => timer(collectTime, scheduler)));
  return merge(timedOut$, changedOne$).pipe(
    take(1),
    switchMap(answerTime$ => answerTime$),
  );
}
