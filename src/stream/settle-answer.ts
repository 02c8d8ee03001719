import { isBefore } from './is-before.js';
import { pace } from './pace.js';
import { toStatus } from './to-status.js';
import type { Turn } from './turn.js';
import type { WatchSettings } from './watch-settings.js';
import type { WatchSignal } from './watch-signal.js';
import type { WatchState } from './watch-state.js';

/**
 * The part of the retention within which the service certainly knows an index. It is a little older than the answer that
 * brought it: the service collected for a while, and the answer was on its way.
 */
const CERTAIN = 0.99;

/** An answer came: tell of a gap first, then of the answer if it brings something, and go on from its index. */
export function settleAnswer<A>(
  state: WatchState<A>,
  answer: A,
  askedAt: number,
  settings: WatchSettings<A>,
): Turn<A> {
  const { scheduler, minInterval } = settings;
  const now = scheduler.now();
  const index = settings.indexOf(answer);
  const isEmpty = settings.isIdle(answer);
  const isRepeat = state.previous !== undefined && settings.isRepeat(answer, state.previous);
  const isNews = !isEmpty && !isRepeat;

  const gap = gapBefore(state, index, now, settings.retention);
  const { status, signals: told } = toStatus(state.status, { state: 'live', lastAnswer: now }, now);
  const signals: WatchSignal<A>[] = [
    ...(gap ? [{ kind: 'gap', gap: { ...gap, at: now } } as const] : []),
    ...told,
    ...(isNews ? [{ kind: 'answer', answer } as const] : []),
  ];

  const paced = isNews ? { wait: 0, busyUntil: state.busyUntil } : pace(state.busyUntil, now, settings);
  return {
    signals,
    state: {
      index,
      // Not when it was read: where the process slept, the answer lay waiting, and its index grew old meanwhile.
      indexAt: askedAt,
      previous: isNews ? answer : state.previous,
      // Without an index the next poll begins from now: what comes between is missed.
      gap: index === undefined ? { reason: 'index_missing', index: state.index } : undefined,
      suspects: 0,
      busyUntil: paced.busyUntil,
      status,
    },
    wait: index === undefined ? Math.max(paced.wait, minInterval) : paced.wait,
    why: isNews ? 'news' : 'nothing',
    toAck: { answer, checkpoint: { index: index ?? '', at: askedAt } },
  };
}

function gapBefore<A>(
  { index: from, indexAt, gap }: WatchState<A>,
  index: string | undefined,
  now: number,
  retention: number,
): WatchState<A>['gap'] {
  if (gap || from === undefined) return gap;
  if (indexAt !== undefined && now - indexAt > retention * CERTAIN) {
    return { reason: 'silence', index: from };
  }
  return index !== undefined && isBefore(index, from)
    ? { reason: 'index_backwards', index: from }
    : undefined;
}
