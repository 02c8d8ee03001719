import { ageOf, hasSlept, type Instant } from '../clocks.js';
import type { WatchSettings } from '../watch-config.js';
import type { WatchSignal } from '../watch-signal.js';
import { paced, refunded, restFor } from './pace.js';
import { dueGap, gapBefore, HELD_MS, withoutExpired } from './place.js';
import { CHECK_CACHE, heard, quiet } from './status.js';
import { turnOf, turnTo, type Delivery, type Turn, type WatchEvent, type WatchState } from './watch-state.js';

/** An answer: emits the gap before it, if any, then the answer if it has news, and continues from its index. */
export function answerTurn<A>(
  state: WatchState,
  { answer, text, arrivedAt = undefined }: WatchEvent<A> & { kind: 'answer' },
  now: Instant,
  settings: WatchSettings<A>,
): Turn<A> {
  const { place, askedAt } = state;
  const index = usableIndex(settings.indexOf(answer), settings.isIndex);
  const isIdle = settings.isIdle(answer);
  const key = isIdle ? place.key : settings.keyOf(answer, text);
  const isNews = key !== place.key;
  const answered = { index, isIdle, askedAt, arrivedAt: arrivedAt ?? now };
  if (!isNews && index !== undefined && index === place.index && isAtOnce(answered))
    if (settings.retention < Infinity) return echoTurn(state, now, settings);

  const due = gapBefore(place, answered, settings.retention);
  const gap = due && (due.emitted ?? { reason: due.reason, index: due.index, at: now.at });
  const isGapNew = gap !== undefined && gap !== due?.emitted;
  const indexAt = isNews && place.index !== undefined ? place.wordAt : askedAt;
  const pace = isNews ? refunded(state.pace, settings.minInterval) : state.pace;
  const next: WatchState = {
    ...afterWord(state, saidAt(askedAt, answered.arrivedAt, settings.timeout)),
    pace: index === undefined ? paced(pace, now, settings, settings.minInterval) : paced(pace, now, settings),
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
  const moved: WatchState = {
    ...next,
    place: {
      ...next.place,
      ...{ index, indexAt, key, gapAt: isGapNew ? now : place.gapAt },
      // Without an index the next poll starts from now and misses what happens in between.
      due: index === undefined ? { reason: 'index_missing', index: place.index } : undefined,
    },
  };
  const live = { state: 'live', attempt: 0, lastAnswer: now.at } as const;
  return { delivery, ...turnTo(moved, live, now, isNews ? 'news' : 'nothing') };
}

function isAtOnce({ askedAt, arrivedAt }: { readonly askedAt: Instant; readonly arrivedAt: Instant }) {
  return arrivedAt.monotonic - askedAt.monotonic < HELD_MS;
}

/** An answer that may be a cache's is no word of the service: the watch polls on at its pace. Nobody knows any more how old the index is. */
export function echoTurn<A>(state: WatchState, now: Instant, settings: WatchSettings<A>): Turn<A> {
  const place = withoutExpired(state.place, state.askedAt, now, settings.retention);
  const pace = paced(state.pace, now, settings);
  const health = quiet(
    state.health,
    place.wordAt,
    now,
    CHECK_CACHE,
    now.at + pace.rest.until - now.monotonic,
  );
  return turnOf({ ...state, place: { ...place, isEchoed: true }, pace }, health, 'nothing');
}

/** The service itself has said that there is nothing new. Its index has not become younger: there is no new one. */
export function nothingTurn<A>(state: WatchState, now: Instant, settings: WatchSettings<A>): Turn<A> {
  const next = afterWord(state, saidAt(state.askedAt, now, settings.timeout));
  const place = { ...next.place, due: dueGap(state.place, state.askedAt, now, settings.retention) };
  const pace = paced(state.pace, now, settings);
  return turnTo({ ...next, place, pace }, { state: 'live', attempt: 0 }, now, 'nothing');
}

/** The state after a word of the service. */
function afterWord(state: WatchState, wordAt: Instant): WatchState {
  const place = { ...state.place, wordAt, isEchoed: false };
  return { ...state, place, health: heard(state.health), needsFreshConnection: false };
}

/** When the service said what has just come, which may have waited while the machine slept. */
function saidAt(askedAt: Instant, now: Instant, timeout: number): Instant {
  return hasSlept(askedAt, now) || ageOf(askedAt, now) > timeout ? askedAt : now;
}

/** An index as it is sent back: a string, even if the service sends a number. Undefined if it is empty or cannot be sent. */
function usableIndex(index: unknown, isIndex: (text: string) => boolean): string | undefined {
  const text = Number.isSafeInteger(index) ? String(index) : index;
  return typeof text === 'string' && text !== '' && isIndex(text) ? text : undefined;
}
