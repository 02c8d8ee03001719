import type { IdentityEventList, LiveEvent } from '../protocol/index.js';
import { sameJson, type WatchMemory } from '../stream/index.js';

/** So many events are remembered: far more than any service gives again. */
const MOST = 1_000;

/**
 * Remembers the last events of a watch. A service whose index goes back, or comes from another machine's clock, gives
 * events again; one that is the same in all it says, its `ts` included, is the same event.
 */
export function eventMemory(): WatchMemory<IdentityEventList> {
  const byTime = new Map<string, LiveEvent[]>();
  let count = 0;
  const isKnown = (event: LiveEvent) =>
    byTime.get(timeOf(event))?.some(known => sameJson(known, event)) ?? false;
  return {
    trim: answer =>
      answer.events.some(isKnown) ? { ...answer, events: answer.events.filter(e => !isKnown(e)) } : answer,
    add: ({ events }) => {
      for (const event of events) {
        const time = timeOf(event);
        const known = byTime.get(time);
        if (known) known.push(event);
        else byTime.set(time, [event]);
        count++;
      }
      // A Map keeps the order in which its keys came: the first ones are the oldest.
      for (const [time, known] of byTime) {
        if (count <= MOST) break;
        count -= known.length;
        byTime.delete(time);
      }
    },
  };
}

function timeOf(event: LiveEvent): string {
  return event.kind === 'malformed' ? '' : event.ts;
}
