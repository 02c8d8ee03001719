import type { WatchSettings } from '../watch-settings.js';
import type { Answered, Outcome } from './outcome.js';
import { dueGap, goesBack, isAtOnce, isExpired } from './position.js';
import type { DueGap, Position, Turn, WatchEvent } from './watch-state.js';

/** An answer ended the poll. */
export function answerOutcome<A>(turn: Turn<A>, event: WatchEvent<A> & { kind: 'answer' }): Outcome<A> {
  const { state, now, settings } = turn;
  const answered = answeredBy(turn, event);
  const { index, isEmpty, isClosed } = answered;
  if (isOfAnotherLog(state.position, answered)) return anotherLog(turn);
  // A service whose index is that of its last event has no index to give without an event. `ack` is
  // called all the same, since it may decide that the watch ends.
  if (isEmpty && index === undefined) {
    const isDelivered = settings.ack !== undefined || isClosed;
    return { kind: 'contact', at: now, ...(isDelivered && { unmoved: { answer: event.answer, isClosed } }) };
  }
  if (mayBeCached(state.position, answered, settings)) return { kind: 'echo' };
  // What the same poll brings twice in a row is what the service has now, such as a state that has
  // changed back.
  const isBack = isKnown(state.position, answered);
  if (isBack && answered.key !== state.position.echoed) return { kind: 'echo', key: answered.key };
  const gap = gapBefore(state.position, answered, isBack, settings);
  return { kind: 'contact', at: answered.arrivedAt, answered, gap };
}

/**
 * An answer of another log is not delivered. Its index means nothing in our log, and the events
 * before it in its own log are not known. The next poll goes without an index. If that happens
 * again before an index was of use, it is a failure, since there may be two logs.
 */
function anotherLog({ state, now }: Pick<Turn<never>, 'state' | 'now'>): Outcome<never> {
  const { mixUps } = state.position;
  if (mixUps === 0) return { kind: 'contact', at: now, isOfAnotherLog: true };
  const heldFor = now.monotonic - state.askedAt.monotonic;
  return { kind: 'failure', hint: CHECK_LOGS, heldFor, isOfAnotherLog: true };
}

const CHECK_LOGS = 'answers come from two logs (`handle`): are there two servers?';

/** The gap before an answer. `undefined` if nothing may have been missed. */
function gapBefore<A>(
  position: Position,
  answered: Answered,
  isBack: boolean,
  settings: WatchSettings<A>,
): DueGap | undefined {
  const { retention } = settings;
  const { index, isEmpty, isAtOnce, askedAt, arrivedAt } = answered;
  const { due } = position;
  const mayBeForgotten = position.isAgeUnknown || isExpired(position.indexAt, askedAt, retention);
  // An empty answer at once is how a service says that it has forgotten an index.
  const saysForgotten = isEmpty && isAtOnce && position.index !== undefined && mayBeForgotten;
  if (due && !due.emitted) return due;
  if (answered.hasGap) return { reason: 'forgotten', index: position.index };
  if (saysForgotten) return { reason: 'silence', index: position.index };
  const gap = dueGap(position, askedAt, arrivedAt, retention);
  if (gap || !(isBack || goesBack(position, index, settings))) return gap;
  return { reason: 'index_backwards', index: position.index };
}

/**
 * Reads an answer, and compares it with the position. One with the key of the last answer with news
 * is a repeat. It is no news, and neither is an empty answer.
 */
function answeredBy<A>(
  { state: { position, askedAt }, now, settings }: Turn<A>,
  { answer, text, isFromService, arrivedAt = now }: WatchEvent<A> & { kind: 'answer' },
): Answered<A> {
  const said = settings.read(answer, text);
  const isPastEnd = said.isEmpty && goesBack(position, said.end, settings);
  const index = isPastEnd ? said.end : said.index;
  const { key, content } = said.isEmpty ? position : said;
  return {
    ...said,
    answer,
    index,
    key,
    content,
    isNews: key !== position.key,
    isAtOnce: isAtOnce(askedAt, arrivedAt),
    hasMoved: !settings.redelivers || hasMoved(position, index),
    isSetBack: said.isEmpty && goesBack(position, index, settings),
    isFromService,
    askedAt,
    arrivedAt,
  };
}

function hasMoved({ index: sent, quick }: Position, index: string | undefined): boolean {
  return index === undefined || (index !== sent && !quick.some(news => news.index === index));
}

/**
 * Whether an answer may come from a cache. It comes at once, and it has no news under the very
 * index that was sent, at a service where such an index has an age.
 */
function mayBeCached<A>(
  position: Position,
  { index, isAtOnce, isNews, hasGap }: Answered,
  { retention }: WatchSettings<A>,
): boolean {
  if (hasGap) return false;
  return isAtOnce && !isNews && index !== undefined && index === position.index && retention !== Infinity;
}

/**
 * Whether an answer has come before, at once both times, and its index is not the one that was
 * sent. Caches, or replicas that ignore the index, each of which repeats its own answer, look like
 * that.
 */
function isKnown({ index: sent, quick }: Position, { index, key, isAtOnce, isEmpty }: Answered): boolean {
  if (!isAtOnce || isEmpty || sent === undefined || index === sent) return false;
  return quick.some(news => news.index === index && news.key === key);
}

/**
 * Whether an answer is of another log than the index that was sent, and does not say what it is
 * about.
 */
function isOfAnotherLog(position: Position, { handle, hasGap }: Answered): boolean {
  if (hasGap || position.index === undefined || position.handle === undefined) return false;
  return handle !== undefined && handle !== position.handle;
}
