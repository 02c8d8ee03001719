import { changeStatus } from './change-status.js';
import { paceWithNews, paceWithoutNews, restAfter } from './poll-pace.js';
import {
  gapBefore,
  isOlderIndex,
  mayBeForgotten,
  newerIndex,
  usableIndex,
  watchIndexOf,
  type UntoldGap,
} from './watch-index.js';
import type { Gap } from './watch-signal.js';
import type { On, Turn, WatchLaws, WatchState } from './watch-turn.js';

/** An answer: emits the gap before it, if any, then the answer if it has news, and continues from its index. */
export function answerTurn<A>(state: WatchState, outcome: On<A, 'answer'>, laws: WatchLaws<A>): Turn<A> {
  const { answer: arrived, askedAt, now } = outcome;
  const index = usableIndex((laws.indexOf ?? watchIndexOf)(arrived));
  const { newest } = state;
  // An index that has not passed the newest one: what follows it has come already, perhaps with this very answer.
  const isBehind =
    index !== undefined && newest !== undefined && (index === newest || isOlderIndex(index, newest));
  const recalled = laws.memory.recall(arrived, state.mayBeReplay || isBehind);
  const isNews = recalled.isNews && laws.isIdle?.(recalled.answer) !== true;

  const untold = gapBefore(state, index, outcome, laws.retention);
  const gap: Gap | undefined = untold && { ...untold, at: now.at };
  // Old events with an index that has been forgotten: it still is. What else may be missing is told once, when it advances.
  const isStale = isBehind && untold?.reason === 'silence' && laws.isIdle?.(arrived) === false;
  const isTold = untold !== undefined && isSameGap(untold, state.toldGap) && (isBehind || !state.isStale);
  const { status, signals } = changeStatus(state.status, { state: 'live', lastAnswer: now.at }, now.at);

  const isNew = isNews && !recalled.isKnown;
  const paced = isNew
    ? paceWithNews(state.pace, now.at, askedAt.at)
    : paceWithoutNews(state.pace, now.at, laws);
  // Without an index the next poll starts from now and misses what happens in between.
  const missing =
    index === undefined ? ({ reason: 'index_missing', index: state.index } as const) : undefined;
  const wait = missing ? Math.max(paced.wait, laws.minInterval) : paced.wait;
  return {
    signals: [...(gap && !isTold ? [{ kind: 'gap', gap } as const] : []), ...signals],
    state: {
      index,
      ...(isStale
        ? { issued: state.issued, coveredUntil: state.coveredUntil }
        : ageAfter(state, outcome, laws)),
      newest: index === undefined ? newest : newerIndex(newest, index),
      mayBeReplay: index === undefined || isBehind,
      ...{ gap: missing, toldGap: isStale ? untold : undefined, isStale, isAnswered: true },
      ...{ indexFailures: 0, needsFreshConnection: false, isStalled: false },
      pace: paced.pace,
      rest: restAfter(now.at, wait),
      status,
    },
    why: isNew ? (paced.wait > 0 ? 'limited' : 'news') : 'nothing',
    delivery: {
      arrived,
      answer: recalled.answer,
      isNews,
      isRemembered: isNews || recalled.isKnown,
      checkpoint: { index: index ?? '', at: askedAt.at },
      gap,
    },
  };
}

/** The age of the index of an answer, and until when nothing has been missed. */
function ageAfter<A>(
  { index, issued, coveredUntil }: WatchState,
  { answer, askedAt, now }: On<A, 'answer'>,
  { isIdle, retention }: WatchLaws<A>,
): Pick<WatchState, 'issued' | 'coveredUntil'> {
  const isFresh = index === undefined || isIdle?.(answer) === true;
  return {
    // An index with news is as old as the last of them, which came after what had been covered. Not the time of arrival: if
    // the process slept, the answer was waiting.
    issued: isFresh ? askedAt : (coveredUntil ?? issued ?? askedAt),
    coveredUntil: mayBeForgotten(askedAt, now, retention) ? undefined : now,
  };
}

function isSameGap(a: UntoldGap, b: UntoldGap | undefined): boolean {
  return a.reason === b?.reason && a.index === b.index;
}
