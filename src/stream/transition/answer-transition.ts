import { ageOf, hasSlept, type Instant } from '../clocks.js';
import type { WatchSettings } from '../watch-config.js';
import type { Gap, WatchSignal } from '../watch-signal.js';
import { paced, refunded } from './pace.js';
import { dueGap, gapBefore, type Answered } from './gap.js';
import type { Position } from './position.js';
import { isStaleAnswer, staleTransition } from './stale-transition.js';
import { inContact } from './status.js';
import {
  transitionTo,
  type Delivery,
  type Transition,
  type WatchEvent,
  type WatchState,
} from './watch-state.js';

/** An answer: emits the gap before it, if any, then the answer if it has news, and continues from its index. */
export function answerTransition<A>(
  state: WatchState,
  { answer, text, arrivedAt }: WatchEvent<A> & { kind: 'answer' },
  now: Instant,
  settings: WatchSettings<A>,
): Transition<A> {
  const { minInterval, retention, timeout } = settings;
  const index = usableIndex(settings.indexOf(answer), settings.isIndex);
  const isEmpty = settings.isEmpty(answer);
  // A service whose index is that of its last event has none to give.
  if (isEmpty && index === undefined && state.position.index !== undefined)
    return noNewsTransition(state, now, settings);
  const key = isEmpty ? state.position.key : settings.keyOf(answer, text);
  const isNews = key !== state.position.key;
  const answered = { index, key, isEmpty, isNews, askedAt: state.askedAt, arrivedAt: arrivedAt ?? now };
  if (isStaleAnswer(state.position, answered, retention)) return staleTransition(state, now, settings);

  const { position, gap } = positionAfter(state.position, answered, now, retention);
  const checkpoint = { index: index ?? '', at: position.indexAt.at };
  const signal: WatchSignal<A> = isNews
    ? { kind: 'answer', answer, checkpoint }
    : { kind: 'checkpoint', checkpoint };
  const delivery: Delivery<A> = {
    answer: isNews || isEmpty ? answer : settings.withoutNews(answer),
    checkpoint,
    gap,
    signals: gap && position.gapAt === now ? [{ kind: 'gap', gap }, signal] : [signal],
  };
  const pace = isNews ? refunded(state.pace, minInterval) : state.pace;
  const next = afterContact({ ...state, position }, saidAt(state.askedAt, answered.arrivedAt, timeout));
  // Without an index the service answers at once.
  const rested = paced(pace, now, settings, index === undefined ? minInterval : 0);
  const live = { state: 'live', attempt: 0, lastAnswer: now.at } as const;
  return { delivery, ...transitionTo({ ...next, pace: rested }, live, now, isNews ? 'news' : 'no_news') };
}

/** The position after an answer, and the gap before it, even if that has been emitted earlier. */
function positionAfter(
  before: Position,
  answered: Answered,
  now: Instant,
  retention: number,
): { readonly position: Position; readonly gap: Gap | undefined } {
  const { index, key, isNews, askedAt } = answered;
  const due = gapBefore(before, answered, retention);
  const gap = due && (due.emitted ?? { reason: due.reason, index: due.index, at: now.at });
  const position: Position = {
    ...before,
    ...{ index, key },
    // What came with news may have waited since the last word.
    indexAt: isNews && before.index !== undefined ? before.contactAt : askedAt,
    gapAt: gap && !due.emitted ? now : before.gapAt,
    // Without an index the next poll starts from now and misses what happens in between.
    due: index === undefined ? { reason: 'index_missing', index: before.index } : undefined,
  };
  return { position, gap };
}

/** The service itself has said that there is nothing new. Its index has not become younger: there is no new one. */
export function noNewsTransition<A>(
  state: WatchState,
  now: Instant,
  settings: WatchSettings<A>,
): Transition<A> {
  const next = afterContact(state, saidAt(state.askedAt, now, settings.timeout));
  const position = { ...next.position, due: dueGap(state.position, state.askedAt, now, settings.retention) };
  const pace = paced(state.pace, now, settings);
  return transitionTo({ ...next, position, pace }, { state: 'live', attempt: 0 }, now, 'no_news');
}

/** The state after a word of the service. */
function afterContact(state: WatchState, contactAt: Instant): WatchState {
  const position = { ...state.position, contactAt, isStale: false };
  return { ...state, position, health: inContact(state.health), needsFreshConnection: false };
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
