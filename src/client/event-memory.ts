import type { IdentityEventList } from '../protocol/index.js';
import { jsonEqual } from '../stream/index.js';
import type { AnswerMemory } from './calls.js';

/** How many events are remembered: far more than any service gives again. */
const MOST = 1_000;

/** An event of any kind, one of the game's own included. */
interface AnyEvent {
  readonly kind: string;
  readonly ts?: unknown;
  /** Of a malformed one, what came. */
  readonly raw?: unknown;
}

/**
 * Remembers the last events of a watch. A service whose index goes back, or comes from another machine's clock, gives events
 * again. One that is equal in everything, `ts` included, is the same event; of one without a `ts` nobody can tell.
 */
export function eventMemory<Own extends object>(): AnswerMemory<IdentityEventList<Own>> {
  const byTime = new Map<string, AnyEvent[]>();
  const times: string[] = [];
  const isKnown = (event: AnyEvent) => {
    const time = timeOf(event);
    const known = time === undefined ? undefined : byTime.get(time);
    return known?.some(other => isSame(event, other)) ?? false;
  };
  return {
    trim: answer =>
      answer.events.some(isKnown)
        ? { ...answer, events: answer.events.filter(event => !isKnown(event)) }
        : answer,
    remember: ({ events }) => {
      for (const event of events as readonly AnyEvent[]) {
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

/** Whether an answer has no events: none came, or all of them had been delivered before. */
export function isIdle({ events }: { readonly events: readonly unknown[] }): boolean {
  return events.length === 0;
}

function timeOf(event: AnyEvent): string | undefined {
  const { ts } = event.kind === 'malformed' ? (Object(event.raw) as { ts?: unknown }) : event;
  return typeof ts === 'string' ? ts : undefined;
}

/** What is wrong with a malformed event is told with its place in the batch, which is another one the next time. */
function isSame(event: AnyEvent, other: AnyEvent): boolean {
  return event.kind === 'malformed' && other.kind === 'malformed'
    ? jsonEqual(event.raw, other.raw)
    : jsonEqual(event, other);
}
