import { defer, map, of, type Observable } from 'rxjs';
import { bearerOf } from './bearer-of.js';
import type { Call } from './call.js';
import { decimal } from './decimal.js';
import { findRecord } from './find-record.js';
import { nextChange } from './next-change.js';
import type { LoggedEvent } from './records.js';
import type { World } from './world.js';

/** events.watch, as deployed servers answer it. */
export function answerEvents(call: Call, world: World): Observable<unknown> {
  const identity_id = bearerOf('identity', call, world);
  const text = call.query.get('watch_index');
  const nothing = () => ({ events: [], watch: { index: String(world.tick() + 1) } });
  if (text === null) return of(nothing());

  const index = decimal(text);
  // Too old to be known: answered at once, and with no word of what is missing.
  if (index < world.now() - world.config.retention) return of(nothing());

  const log = () => findRecord(world.identities, 'identity_id', identity_id).log;
  const fresh = () => {
    const events = log().slice(firstFrom(index, log()));
    const last = events.at(-1);
    return last && { events: events.map(({ event }) => event), watch: { index: String(last.stamp + 1) } };
  };
  return defer(() => {
    const waiting = fresh();
    return waiting
      ? of(waiting)
      : nextChange(new Set([identity_id]), world).pipe(map(() => fresh() ?? nothing()));
  });
}

/** The place of the first event of a log that an index has not seen. */
function firstFrom(index: number, log: readonly LoggedEvent[]): number {
  let low = 0;
  for (let high = log.length; low < high;) {
    const middle = (low + high) >>> 1;
    if (log[middle]!.stamp < index) low = middle + 1;
    else high = middle;
  }
  return low;
}
