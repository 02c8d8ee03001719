import type { WatchSettings } from './watch-config.js';
import { changeStatus } from './watch-signal.js';
import {
  dueOnArrival,
  isOlderIndex,
  LIVE_AFTER,
  paceWait,
  restFor,
  saidAt,
  usableIndex,
  type Outcome,
  type Turn,
  type WatchState,
} from './watch-state.js';

/** An answer: emits the gap before it, if any, then the answer if it has news, and continues from its index. */
export function answerTurn<A>(
  state: WatchState,
  { answer, text, now, arrivedAt = now }: Outcome<A> & { kind: 'answer' },
  laws: WatchSettings<A>,
): Turn<A> {
  const { askedAt } = state;
  const index = usableIndex(laws.indexOf ? laws.indexOf(answer) : watchIndexOf(answer));
  const isIdle = laws.isIdle(answer);
  const key = isIdle ? state.key : laws.keyOf(answer, text);
  const isNews = key !== state.key;
  const isBackwards = index !== undefined && state.index !== undefined && isOlderIndex(index, state.index);
  const due =
    dueOnArrival(state, arrivedAt, isIdle, laws.retention) ??
    (isBackwards ? { reason: 'index_backwards' as const, index: state.index } : undefined);
  const gap = due && (due.emitted ?? { reason: due.reason, index: due.index, at: now.at });

  // An answer that is no different, and came at once, may come from a cache. It renews nothing.
  const isCached =
    !isNews && !isIdle && index === state.index && now.monotonic - askedAt.monotonic < LIVE_AFTER;
  // Even its index has been forgotten. Without one, the next answer has one that is known.
  const isForgotten = isCached && due?.reason === 'silence';
  const indexAt = isCached ? state.indexAt : isNews && state.index !== undefined ? state.heardAt : askedAt;
  const { status, signals } = changeStatus(state.status, { state: 'live', lastAnswer: now.at }, now.at);
  const next: WatchState = {
    ...state,
    ...{ index: isForgotten ? undefined : index, indexAt, key },
    coveredAt: gap && !due.emitted ? now : state.coveredAt,
    heardAt: isCached ? state.heardAt : saidAt(askedAt, now, laws.deadline),
    // Without an index the next poll starts from now and misses what happens in between.
    due:
      index === undefined
        ? { reason: 'index_missing', index: state.index }
        : isForgotten
          ? { reason: 'silence', index }
          : undefined,
    ...{ indexFailures: 0, isAnswered: true, isHoldingProof: true, needsFreshConnection: false },
    quietSince: now.monotonic,
    paidUntil: isNews ? state.paidUntil - laws.minInterval : state.paidUntil,
    status,
  };
  const wait = Math.max(paceWait(next, now, laws), next.index === undefined ? laws.minInterval : 0);
  return {
    signals,
    state: { ...next, rest: restFor(now, wait) },
    why: isNews ? 'news' : 'nothing',
    delivery: {
      answer: isNews || isIdle ? answer : laws.withoutNews(answer),
      isNews,
      checkpoint: { index: index ?? '', at: indexAt.at },
      ...{ gap, isGapEmitted: due?.emitted !== undefined },
    },
  };
}

/** The service itself has said that there is nothing new. Its index has not become younger: there is no new one. */
export function nothingTurn<A>(state: WatchState, { now }: Outcome<A>, laws: WatchSettings<A>): Turn<A> {
  const { status, signals } = changeStatus(state.status, { state: 'live' }, now.at);
  return {
    signals,
    state: {
      ...state,
      heardAt: saidAt(state.askedAt, now, laws.deadline),
      ...{ indexFailures: 0, isAnswered: true, isHoldingProof: true, needsFreshConnection: false },
      quietSince: now.monotonic,
      rest: restFor(now, paceWait(state, now, laws)),
      status,
    },
    why: 'nothing',
  };
}

/** The index of an answer of this service. */
function watchIndexOf(answer: unknown): unknown {
  return (answer as { watch?: { index?: unknown } | null } | null)?.watch?.index;
}
