import type { IdentityEventList } from '../protocol/index.js';
import { jsonEqual } from '../stream/index.js';
import type { AnswerMemory } from './calls.js';

/** How many events to remember. Servers repeat far fewer. */
const MAX_EVENTS = 1_000;

/** An event of any kind, including your own kinds. */
interface AnyEvent {
  readonly kind: string;
  readonly ts?: unknown;
  /** The wire event, if this one is malformed. */
  readonly raw?: unknown;
}

/**
 * Remembers the last events of a watch. If the index goes back, or comes from a machine whose clock is off, the service sends
 * events again. Two events that are equal, including `ts`, are the same event. Events without `ts` are never recognized.
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
      for (const oldest of times.splice(0, times.length - MAX_EVENTS)) {
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

/** Malformed events are compared by `raw`, because the paths in their errors depend on their position in the batch. */
function isSame(event: AnyEvent, other: AnyEvent): boolean {
  return event.kind === 'malformed' && other.kind === 'malformed'
    ? jsonEqual(event.raw, other.raw)
    : jsonEqual(event, other);
}
