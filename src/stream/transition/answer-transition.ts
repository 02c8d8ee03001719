import { ageOf, hasSlept, type Instant } from '../clocks.js';
import type { WatchSettings } from '../watch-settings.js';
import type { Gap, WatchSignal } from '../watch-signal.js';
import { paced, refunded } from './pace.js';
import { dueGap, gapBefore, isAtOnce, type Answered } from './gap.js';
import { checkpointAt, type Position } from './position.js';
import { retryTransition } from './retry-transition.js';
import { isStaleAnswer, staleTransition } from './stale-transition.js';
import { inContact } from './status.js';
import {
  transitionTo,
  type Delivery,
  type Transition,
  type WatchEvent,
  type WatchState,
} from './watch-state.js';

/**
 * An answer: emits the gap before it, if any, then the answer if it has news, and continues from
 * its index.
 */
export function answerTransition<A>(
  state: WatchState,
  event: WatchEvent<A> & { kind: 'answer' },
  now: Instant,
  settings: WatchSettings<A>,
): Transition<A> {
  const { answer } = event;
  const { minInterval } = settings;
  const answered = answeredBy(state, event, now, settings);
  const { index, isEmpty, isNews } = answered;
  if (isOfAnotherLog(state.position, answered)) return anotherLogTransition(state, now, settings);
  // A service whose index is that of its last event has none to give.
  if (isEmpty && index === undefined && state.position.index !== undefined)
    return noIndexTransition(state, answer, now, settings);
  if (isStaleAnswer(state.position, answered, settings)) return staleTransition(state, now, settings);

  const { position, gap } = positionAfter(state.position, answered, now, settings);
  const checkpoint = checkpointAt(position);
  const signal: WatchSignal<A> = isNews
    ? { kind: 'answer', answer, checkpoint }
    : { kind: 'checkpoint', checkpoint };
  const delivery: Delivery<A> = {
    answer: isNews || isEmpty ? answer : settings.withoutNews(answer),
    checkpoint,
    gap,
    signals: gap && position.gapAt === now ? [{ kind: 'gap', gap }, signal] : [signal],
  };
  const pace = isPaidFor(state.position, answered) ? state.pace : refunded(state.pace, minInterval);
  const contactAt = saidAt(state.askedAt, answered.arrivedAt, settings.timeout);
  const next = afterContact({ ...state, position }, contactAt);
  // Without an index the service answers at once.
  const rested = paced(pace, now, settings, index === undefined ? minInterval : 0);
  const live = { state: 'live', attempt: 0, lastAnswer: now.at } as const;
  return { delivery, ...transitionTo({ ...next, pace: rested }, live, now, isNews ? 'news' : 'no_news') };
}

/** What an answer says. */
function answeredBy<A>(
  { position, askedAt }: WatchState,
  { answer, text, arrivedAt }: WatchEvent<A> & { kind: 'answer' },
  now: Instant,
  settings: WatchSettings<A>,
): Answered {
  const index = usableIndex(settings.indexOf(answer), settings.isIndex);
  const handle = usableIndex(settings.handleOf(answer), () => true);
  const isEmpty = settings.isEmpty(answer);
  const times = { askedAt, arrivedAt: arrivedAt ?? now };
  if (isEmpty) {
    const { key, content } = position;
    return { index, handle, key, content, isEmpty, isNews: false, ...times };
  }
  const key = settings.keyOf(answer, text, index);
  const isSame = settings.contentOf === settings.keyOf;
  const content = isSame ? key : settings.contentOf(answer, text, index);
  return { index, handle, key, content, isEmpty, isNews: key !== position.key, ...times };
}

/**
 * Whether the poll of an answer stays paid for: it has no news; or it equals the last one, but for
 * its index, and came at once. A server that ignores the index answers so each time.
 */
function isPaidFor(position: Position, answered: Answered): boolean {
  return !answered.isNews || (answered.content === position.content && isAtOnce(answered));
}

/** Whether an answer is of another log than the index that was sent. */
function isOfAnotherLog(position: Position, { handle }: Answered): boolean {
  if (position.index === undefined || position.handle === undefined) return false;
  return handle !== undefined && handle !== position.handle;
}

/**
 * An answer of another log is not delivered: its index means nothing in the log of ours, and what
 * came before it in its own log is not known. The next poll goes without an index. If that happens
 * again before an index was of use, it is a failure: there may be two logs.
 */
function anotherLogTransition<A>(state: WatchState, now: Instant, settings: WatchSettings<A>): Transition<A> {
  const { index, due, mixUps } = state.position;
  const position: Position = {
    ...state.position,
    index: undefined,
    handle: undefined,
    mixUps: mixUps + 1,
    due: due && !due.emitted ? due : { reason: 'another_log', index },
  };
  if (mixUps > 0) {
    const { health } = state;
    const status = { ...health.status, attempt: mixUps - 1 };
    const cause = { hint: CHECK_LOGS, heldFor: now.monotonic - state.askedAt.monotonic };
    const before = { ...state, position, health: { ...health, status } };
    return retryTransition(before, cause, { kind: 'retry' }, now, settings);
  }
  const next = afterContact({ ...state, position }, saidAt(state.askedAt, now, settings.timeout));
  const pace = paced(state.pace, now, settings);
  return transitionTo({ ...next, pace }, { state: 'live', attempt: 0 }, now, 'no_news');
}

const CHECK_LOGS =
  'answers are of two logs (`handleOf`), and an index of one means nothing in the other: are there two servers behind one address?';

/**
 * An empty answer without an index: `ack` is asked all the same, since it may decide that the watch
 * ends.
 */
function noIndexTransition<A>(
  state: WatchState,
  answer: A,
  now: Instant,
  settings: WatchSettings<A>,
): Transition<A> {
  const transition = noNewsTransition(state, now, settings);
  if (!settings.ack) return transition;
  const checkpoint = checkpointAt(state.position);
  return { ...transition, delivery: { answer, checkpoint, gap: undefined, signals: [] } };
}

/** The position after an answer, and the gap before it, even if that has been emitted earlier. */
function positionAfter<A>(
  before: Position,
  answered: Answered,
  now: Instant,
  settings: WatchSettings<A>,
): { readonly position: Position; readonly gap: Gap | undefined } {
  const { index, handle, key, content, isNews, askedAt } = answered;
  const due = gapBefore(before, answered, settings);
  const gap = due && (due.emitted ?? { reason: due.reason, index: due.index, at: now.at });
  const position: Position = {
    ...before,
    index,
    key,
    keyBefore: isNews ? before.key : before.keyBefore,
    content,
    handle: handle ?? before.handle,
    // Only an answer to an index shows that there is one log.
    mixUps: before.index === undefined ? before.mixUps : 0,
    // What came with news may have waited since the last word.
    indexAt: isNews && before.index !== undefined ? before.contactAt : askedAt,
    gapAt: gap && !due.emitted ? now : before.gapAt,
    // Without an index the next poll starts from now and misses what happens in between.
    due: index === undefined ? { reason: 'index_missing', index: before.index } : undefined,
  };
  return { position, gap };
}

/**
 * The service itself has said that there is nothing new. Its index has not become younger: there is
 * no new one.
 */
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

/**
 * An index as it is sent back: a string, even if the service sends a number. Undefined if it is
 * empty or cannot be sent.
 */
function usableIndex(index: unknown, isIndex: (text: string) => boolean): string | undefined {
  const text = Number.isSafeInteger(index) ? String(index) : index;
  return typeof text === 'string' && text !== '' && isIndex(text) ? text : undefined;
}
