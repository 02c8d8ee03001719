import { cursorArgument } from '../error/index.js';
import { ageOf, hasSlept, type Instant } from './clocks.js';
import { gapBefore } from './gap.js';
import { paceWait, refunded, restFor } from './pace.js';
import type { WatchSettings } from './watch-config.js';
import type { WatchSignal } from './watch-signal.js';
import {
  HELD_AFTER,
  turnTo,
  type Delivery,
  type Turn,
  type WatchEvent,
  type WatchState,
} from './watch-state.js';

/** An answer: emits the gap before it, if any, then the answer if it has news, and continues from its index. */
export function answerTurn<A>(
  state: WatchState,
  { answer, text, arrivedAt: at }: WatchEvent<A> & { kind: 'answer' },
  now: Instant,
  settings: WatchSettings<A>,
): Turn<A> {
  const { askedAt } = state;
  const arrivedAt = at ?? now;
  const index = usableIndex(settings.indexOf(answer));
  const isIdle = settings.isIdle(answer);
  const key = isIdle ? state.key : settings.keyOf(answer, text);
  const isNews = key !== state.key;
  const due = gapBefore(state, { index, isIdle, arrivedAt }, settings.retention);
  const gap = due && (due.emitted ?? { reason: due.reason, index: due.index, at: now.at });
  const isGapNew = gap !== undefined && gap !== due?.emitted;

  // An answer that is no different, and came at once, may come from a cache. It renews nothing.
  const isCached =
    !isNews && !isIdle && index === state.index && now.monotonic - askedAt.monotonic < HELD_AFTER;
  // Its index is too old as well: it is dropped, since a poll without one gets a current one.
  const isForgotten = isCached && due?.reason === 'silence';
  const indexAt = isCached ? state.indexAt : isNews && state.index !== undefined ? state.heardAt : askedAt;
  const next: WatchState = {
    ...heard(state, now, isCached ? state.heardAt : saidAt(askedAt, arrivedAt, settings.timeout)),
    index: isForgotten ? undefined : index,
    indexAt,
    key,
    coveredAt: isGapNew ? now : state.coveredAt,
    // Without an index the next poll starts from now and misses what happens in between.
    due:
      index === undefined
        ? { reason: 'index_missing', index: state.index }
        : isForgotten
          ? { reason: 'silence', index }
          : undefined,
    paidUntil: isNews ? refunded(state, settings.minInterval) : state.paidUntil,
  };
  const checkpoint = { index: index ?? '', at: indexAt.at };
  const signal: WatchSignal<A> = isNews
    ? { kind: 'answer', answer, checkpoint }
    : { kind: 'idle', checkpoint };
  const delivery: Delivery<A> = {
    answer: isNews || isIdle ? answer : settings.withoutNews(answer),
    checkpoint,
    gap,
    signals: isGapNew ? [{ kind: 'gap', gap }, signal] : [signal],
  };
  const wait = Math.max(paceWait(next, now, settings), next.index === undefined ? settings.minInterval : 0);
  const settled = { ...next, rest: restFor(now, wait) };
  const why = isNews ? 'news' : 'nothing';
  return { delivery, ...turnTo(settled, { state: 'live', attempt: 0, lastAnswer: now.at }, now, why) };
}

/** The service itself has said that there is nothing new. Its index has not become younger: there is no new one. */
export function nothingTurn<A>(state: WatchState, now: Instant, settings: WatchSettings<A>): Turn<A> {
  const next = heard(state, now, saidAt(state.askedAt, now, settings.timeout));
  const rest = restFor(now, paceWait(next, now, settings));
  return turnTo({ ...next, rest }, { state: 'live', attempt: 0 }, now, 'nothing');
}

/** The state after something that the service itself has said. */
function heard(state: WatchState, now: Instant, heardAt: Instant): WatchState {
  return {
    ...state,
    heardAt,
    quietSince: now.monotonic,
    indexFailures: 0,
    isAnswered: true,
    isHoldingProof: true,
    needsFreshConnection: false,
  };
}

/** When the service said what has just come, which may have waited while the machine slept. */
function saidAt(askedAt: Instant, now: Instant, timeout: number): Instant {
  return hasSlept(askedAt, now) || ageOf(askedAt, now) > timeout ? askedAt : now;
}

/** An index as it is sent back: a string, even if the service sends a number; undefined if it is empty or fits into no URL. */
function usableIndex(index: unknown): string | undefined {
  const text = typeof index === 'number' ? String(index) : index;
  return cursorArgument.is(text) ? text : undefined;
}
