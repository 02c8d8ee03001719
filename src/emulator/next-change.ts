import { filter, map, merge, of, switchMap, take, timer, type Observable } from 'rxjs';
import type { World } from './world.js';

/**
 * Emits once: when a watch has blocked for long enough, or a moment after one of these has changed, so that what happens
 * at the same time is answered together.
 */
export function nextChange(ids: ReadonlySet<string>, { changed$, config }: World): Observable<unknown> {
  const { blockTime, collectTime, scheduler } = config;
  const isOver$ = timer(blockTime, scheduler).pipe(map(() => of(0)));
  const isChanged$ = changed$.pipe(
    filter(id => ids.has(id)),
    map(() => timer(collectTime, scheduler)),
  );
  return merge(isOver$, isChanged$).pipe(
    take(1),
    switchMap(moment$ => moment$),
  );
}
