import type { Observable } from 'rxjs';
import type { WatchSignal } from 'lobby-rx';
import type { Seen } from './log-of-events.js';

/** The waits of a watch whose server is on this machine. */
export const SHORT_WAITS = {
  backoff: { initial: 100, max: 500 },
  // What equals the event before, at once, is paid for.
  minInterval: 10,
};

/** Follows a watch until `stop`. `eventsIn` has the events of an answer. */
export function followed<A>(signal$: Observable<WatchSignal<A>>, eventsIn: (answer: A) => readonly string[]) {
  const seen: Seen[] = [];
  const states: string[] = [];
  let isComplete = false;
  const following = signal$.subscribe({
    next: signal => {
      if (signal.kind === 'answer') seen.push(...eventsIn(signal.answer).map(event => ({ event })));
      if (signal.kind === 'gap') seen.push({ gap: signal.gap.reason });
      if (signal.kind === 'status') states.push(signal.status.state);
    },
    complete: () => {
      isComplete = true;
    },
  });
  return { seen, states, isComplete: () => isComplete, stop: () => following.unsubscribe() };
}
