import { defer, map, of } from 'rxjs';
import { eventsSince } from '../world/index.js';
import { callerOf, decimalOf, type Answer } from './call.js';
import { nextChange } from './next-change.js';

/** Answers events.watch (docs/the-service.md, 4.3) as deployed servers do. */
export const eventsAnswer: Answer = (call, world, settings) => {
  const identity_id = callerOf('identity', call, world);
  const index = decimalOf('watch_index', call);
  const noEvents = () => ({ events: [], watch: { index: String(world.tick() + 1) } });
  // An index older than the retention is answered at once, too. The answer does not show that
  // events are missing, and has none of those that `world/events.ts` has not dropped yet.
  if (index === undefined || index < world.now() - world.retention) return of(noEvents());

  const newEvents = () => {
    const logged = eventsSince(world, identity_id, index);
    const last = logged.at(-1);
    return last && { events: logged.map(({ event }) => event), watch: { index: String(last.stamp + 1) } };
  };
  return defer(() => {
    const waiting = newEvents();
    if (waiting) return of(waiting);
    return nextChange([identity_id], world, settings).pipe(map(() => newEvents() ?? noEvents()));
  });
};
