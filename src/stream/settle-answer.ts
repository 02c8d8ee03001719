import type { GapReason } from './gap.js';
import { gapSignal } from './gap-signal.js';
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
export function settleAnswer<A>(state: WatchState<A>, answer: A, settings: WatchSettings<A>): Turn<A> {
  const { scheduler, minInterval } = settings;
  const now = scheduler.now();
  const index = settings.indexOf(answer);
  const isEmpty = settings.isIdle(answer);
  const isRepeat = state.previous !== undefined && settings.isRepeat(answer, state.previous);
  const isNews = !isEmpty && !isRepeat;

  const gap = gapBefore(state, index, now, settings.retention);
  const isLost = index === undefined && !state.blind;
  const { status, signals: told } = toStatus(state.status, { state: 'live', lastAnswer: now }, now);
  const signals: WatchSignal<A>[] = [
    ...(gap ? [gapSignal(gap, now, state.index)] : []),
    ...told,
    ...(isNews ? [{ kind: 'answer', answer } as const] : []),
    // Without an index the next poll begins from now: what comes between is missed.
    ...(isLost ? [gapSignal('index_missing', now, state.index)] : []),
  ];

  const paced = isNews ? { wait: 0, busyUntil: state.busyUntil } : pace(state.busyUntil, now, settings);
  return {
    signals,
    state: {
      index,
      previous: isNews ? answer : state.previous,
      blind: index === undefined,
      suspects: 0,
      busyUntil: paced.busyUntil,
      status,
    },
    wait: index === undefined ? Math.max(paced.wait, minInterval) : paced.wait,
    why: isNews ? 'news' : 'nothing',
    // A repeat has been acknowledged when it first came.
    ...(!isRepeat && { toAck: { answer } }),
  };
}

function gapBefore<A>(
  { index: from, status }: WatchState<A>,
  index: string | undefined,
  now: number,
  retention: number,
): GapReason | undefined {
  if (from === undefined) return undefined;
  if (status.lastAnswer !== undefined && now - status.lastAnswer > retention * CERTAIN) return 'silence';
  return index !== undefined && isBefore(index, from) ? 'index_backwards' : undefined;
}
