import type { WatchSettings } from '../watch-settings.js';
import type { WatchSignal } from '../watch-signal.js';
import {
  answeredBy,
  isAtOnce,
  isOfAnotherLog,
  mayBeCached,
  staysCharged,
  type Answered,
} from './answered.js';
import { dueGap, isExpired } from './expiry.js';
import { refunded } from './pace.js';
import { cachedEnding, inContactEnding, noNewsEnding, retryEnding, type PollEnding } from './poll-ending.js';
import { checkpointAt, type DueGap, type Position } from './position.js';
import type { Delivery, Turn, WatchEvent } from './watch-state.js';

/**
 * An answer ended the poll. Emits the gap before the answer, if any, then the answer if it has
 * news, and continues from its index.
 */
export function answerEnding<A>(turn: Turn<A>, event: WatchEvent<A> & { kind: 'answer' }): PollEnding<A> {
  const { state, now, settings } = turn;
  const answered = answeredBy(state, event, now, settings);
  const { index, isEmpty, isNews } = answered;
  if (isOfAnotherLog(state.position, answered)) return anotherLogEnding(turn);
  // A service whose index is that of its last event has no index to give without an event.
  if (isEmpty && index === undefined && state.position.index !== undefined)
    return noIndexEnding(turn, event.answer);
  if (mayBeCached(state.position, answered, settings)) return cachedEnding(turn);

  const { pace } = state;
  const contact = inContactEnding(turn, answered.arrivedAt);
  const gap = gapBefore(state.position, answered, settings);
  const position = { ...contact.position, ...positionAfter(state.position, answered) };
  return {
    ...contact,
    why: isNews ? 'news' : 'no_news',
    position: gap && !gap.emitted ? { ...position, gapAt: now } : position,
    pace: staysCharged(state.position, answered) ? pace : refunded(pace, settings.minInterval),
    // Without an index the service answers at once.
    wait: index === undefined ? settings.minInterval : 0,
    status: { state: 'live', attempt: 0, lastAnswer: now.at },
    delivery: deliveryOf(turn, answered, position, gap),
  };
}

function deliveryOf<A>(
  { now, settings }: Turn<A>,
  { answer, isEmpty, isNews }: Answered<A>,
  position: Position,
  due: DueGap | undefined,
): Delivery<A> {
  const checkpoint = checkpointAt(position);
  const signal: WatchSignal<A> = isNews
    ? { kind: 'answer', answer, checkpoint }
    : { kind: 'checkpoint', checkpoint };
  const gap = due && (due.emitted ?? { reason: due.reason, index: due.index, at: now.at });
  return {
    answer: isNews || isEmpty ? answer : settings.withoutNews(answer),
    checkpoint,
    gap,
    signals: gap && !due.emitted ? [{ kind: 'gap', gap }, signal] : [signal],
  };
}

/**
 * An answer of another log is not delivered. Its index means nothing in our log, and the events
 * before it in its own log are not known. The next poll goes without an index. If that happens
 * again before an index was of use, it is a failure, since there may be two logs.
 */
function anotherLogEnding<A>(turn: Turn<A>): PollEnding<A> {
  const { state, now } = turn;
  const { index, due, mixUps } = state.position;
  const position: Position = {
    ...state.position,
    index: undefined,
    handle: undefined,
    mixUps: mixUps + 1,
    due: due && !due.emitted ? due : { reason: 'another_log', index },
  };
  const next = { ...turn, state: { ...state, position } };
  if (mixUps === 0) return inContactEnding(next);
  const heldFor = now.monotonic - state.askedAt.monotonic;
  return retryEnding(next, { hint: CHECK_LOGS, heldFor, attempt: mixUps });
}

const CHECK_LOGS = 'answers come from two logs (`handleOf`): are there two servers?';

/**
 * An empty answer without an index. `ack` is called all the same, since it may decide that the
 * watch ends.
 */
function noIndexEnding<A>(turn: Turn<A>, answer: A): PollEnding<A> {
  const ending = noNewsEnding(turn);
  if (!turn.settings.ack) return ending;
  const checkpoint = checkpointAt(turn.state.position);
  return { ...ending, delivery: { answer, checkpoint, gap: undefined, signals: [] } };
}

/** The gap before an answer. `undefined` if nothing may have been missed. */
function gapBefore<A>(
  position: Position,
  answered: Answered,
  { retention, isOlder }: WatchSettings<A>,
): DueGap | undefined {
  const { index, isEmpty, askedAt, arrivedAt } = answered;
  const { due } = position;
  const mayBeForgotten = position.isStale || isExpired(position.indexAt, askedAt, retention);
  // An empty answer at once is how a service says that it has forgotten an index.
  const saysForgotten = isEmpty && isAtOnce(answered) && position.index !== undefined && mayBeForgotten;
  if (due && !due.emitted) return due;
  if (saysForgotten) return { reason: 'silence', index: position.index };
  const isBackwards = index !== undefined && position.index !== undefined && isOlder(index, position.index);
  return (
    dueGap(position, askedAt, arrivedAt, retention) ??
    (isBackwards ? { reason: 'index_backwards', index: position.index } : undefined)
  );
}

/** The changes that an answer makes to the position. */
function positionAfter(before: Position, answered: Answered): Partial<Position> {
  const { index, handle, key, content, isNews, askedAt } = answered;
  return {
    index,
    key,
    keyBefore: isNews ? before.key : before.keyBefore,
    content,
    handle: handle ?? before.handle,
    // Only an answer to an index shows that there is one log.
    mixUps: before.index === undefined ? before.mixUps : 0,
    // News may have waited since the last answer.
    indexAt: isNews && before.index !== undefined ? before.contactAt : askedAt,
    // Without an index the next poll starts from now, and misses the events in between.
    due: index === undefined ? { reason: 'index_missing', index: before.index } : undefined,
  };
}
