import type { IdentityEventList, LiveEvent } from '../protocol/index.js';
import { sameJson, type WatchMemory } from '../stream/index.js';

/** So many events are remembered: far more than any service gives again. */
const MOST = 1_000;

/**
 * Remembers the last events of a watch. A service whose index goes back, or comes from another machine's clock, gives
 * events again; one that is the same in all it says, its `ts` included, is the same event. Of one without a `ts` nobody can
 * tell.
 */
export function eventMemory(): WatchMemory<IdentityEventList> {
  const byTime = new Map<string, LiveEvent[]>();
  const times: string[] = [];
  const isKnown = (event: LiveEvent) => {
    const time = timeOf(event);
    const known = time === undefined ? undefined : byTime.get(time);
    return known?.some(other => isSame(event, other)) ?? false;
  };
  return {
    trim: answer =>
      answer.events.some(isKnown)
        ? { ...answer, events: answer.events.filter(event => !isKnown(event)) }
        : answer,
    add: ({ events }) => {
      for (const event of events) {
        const time = timeOf(event);
        if (time === undefined) continue;
        times.push(time);
        const known = byTime.get(time);
        if (known) known.push(event);
        else byTime.set(time, [event]);
      }
      for (const oldest of times.splice(0, times.length - MOST)) {
        const known = byTime.get(oldest);
        known?.shift();
        if (known?.length === 0) byTime.delete(oldest);
      }
    },
  };
}

function timeOf(event: LiveEvent): string | undefined {
  const { ts } = event.kind === 'malformed' ? (Object(event.raw) as { ts?: unknown }) : event;
  return typeof ts === 'string' ? ts : undefined;
}

/** What is wrong with a malformed event is told with its place in the batch, which is another one the next time. */
function isSame(event: LiveEvent, other: LiveEvent): boolean {
  return event.kind === 'malformed' && other.kind === 'malformed'
    ? sameJson(event.raw, other.raw)
    : sameJson(event, other);
}
