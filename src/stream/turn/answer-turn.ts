import { ageOf, hasSlept, type Instant } from '../clocks.js';
import type { WatchSettings } from '../watch-config.js';
import type { WatchSignal } from '../watch-signal.js';
import { paced, refunded } from './pace.js';
import { dueGap, isEcho, placeAfter, withoutExpired } from './place.js';
import { CHECK_CACHE, heard, quiet } from './status.js';
import { turnOf, turnTo, type Delivery, type Turn, type WatchEvent, type WatchState } from './watch-state.js';

/** An answer: emits the gap before it, if any, then the answer if it has news, and continues from its index. */
export function answerTurn<A>(
  state: WatchState,
  { answer, text, arrivedAt }: WatchEvent<A> & { kind: 'answer' },
  now: Instant,
  settings: WatchSettings<A>,
): Turn<A> {
  const { minInterval, retention, timeout } = settings;
  const index = usableIndex(settings.indexOf(answer), settings.isIndex);
  const isIdle = settings.isIdle(answer);
  const key = isIdle ? state.place.key : settings.keyOf(answer, text);
  const isNews = key !== state.place.key;
  const answered = { index, key, isIdle, isNews, askedAt: state.askedAt, arrivedAt: arrivedAt ?? now };
  if (isEcho(state.place, answered, retention)) return echoTurn(state, now, settings);

  const { place, gap } = placeAfter(state.place, answered, now, retention);
  const checkpoint = { index: index ?? '', at: place.indexAt.at };
  const signal: WatchSignal<A> = isNews
    ? { kind: 'answer', answer, checkpoint }
    : { kind: 'idle', checkpoint };
  const delivery: Delivery<A> = {
    answer: isNews || isIdle ? answer : settings.withoutNews(answer),
    checkpoint,
    gap,
    signals: gap && place.gapAt === now ? [{ kind: 'gap', gap }, signal] : [signal],
  };
  const pace = isNews ? refunded(state.pace, minInterval) : state.pace;
  const next = afterWord({ ...state, place }, saidAt(state.askedAt, answered.arrivedAt, timeout));
  // Without an index the service answers at once.
  const rested = paced(pace, now, settings, index === undefined ? minInterval : 0);
  const live = { state: 'live', attempt: 0, lastAnswer: now.at } as const;
  return { delivery, ...turnTo({ ...next, pace: rested }, live, now, isNews ? 'news' : 'nothing') };
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
  return turnOf({ ...state, place: { ...place, isEchoed: true }, pace }, health, 'echo');
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
