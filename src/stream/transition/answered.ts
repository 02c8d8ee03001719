import { HELD_MS } from '../../error/index.js';
import type { Instant } from '../timing/index.js';
import type { WatchSettings } from '../watch-settings.js';
import type { Position } from './position.js';
import type { WatchEvent, WatchState } from './watch-state.js';

/** An answer, and its parts that move the position of a watch. */
export interface Answered<A = unknown> {
  readonly answer: A;
  readonly index: string | undefined;
  readonly handle: string | undefined;
  readonly key: unknown;
  readonly content: unknown;
  readonly isEmpty: boolean;
  readonly isNews: boolean;
  readonly askedAt: Instant;
  readonly arrivedAt: Instant;
}

/**
 * Reads these parts of an answer. An answer with the key of the last one with news is a repeat. It
 * is no news, and neither is an empty answer.
 */
export function answeredBy<A>(
  { position, askedAt }: WatchState,
  { answer, text, arrivedAt }: WatchEvent<A> & { kind: 'answer' },
  now: Instant,
  settings: WatchSettings<A>,
): Answered<A> {
  const index = usableIndex(settings.indexOf(answer), settings.isIndex);
  const handle = usableIndex(settings.handleOf(answer), () => true);
  const isEmpty = settings.isEmpty(answer);
  let { key, content } = position;
  if (!isEmpty) {
    key = settings.keyOf(answer, text, index);
    const isSame = settings.contentOf === settings.keyOf;
    content = isSame ? key : settings.contentOf(answer, text, index);
  }
  return {
    answer,
    index,
    handle,
    key,
    content,
    isEmpty,
    isNews: key !== position.key,
    askedAt,
    arrivedAt: arrivedAt ?? now,
  };
}

/**
 * Returns an index as it is sent back: a string, even if the service sends a number. Returns
 * `undefined` if the index is empty or cannot be sent.
 */
function usableIndex(index: unknown, isIndex: (text: string) => boolean): string | undefined {
  const text = Number.isSafeInteger(index) ? String(index) : index;
  return typeof text === 'string' && text !== '' && isIndex(text) ? text : undefined;
}

export function isAtOnce({ askedAt, arrivedAt }: Answered): boolean {
  return arrivedAt.monotonic - askedAt.monotonic < HELD_MS;
}

/**
 * Whether an answer may come from a cache. It has no news, comes at once, and has the very index
 * that was sent. Or it equals one of the last two answers with news, and its index goes back. Two
 * caches or replicas, each of which repeats its own answer, look like that.
 */
export function mayBeCached<A>(
  position: Position,
  answered: Answered,
  { retention, isOlder }: WatchSettings<A>,
): boolean {
  const { index, key, isEmpty, isNews } = answered;
  if (index === undefined || position.index === undefined) return false;
  if (!isAtOnce(answered) || retention === Infinity) return false;
  if (!isNews && index === position.index) return true;
  const isKnown = key === position.key || key === position.keyBefore;
  return !isEmpty && isKnown && isOlder(index, position.index);
}

/**
 * Whether the poll of an answer stays charged. It does if the answer has no news. It also does if
 * the answer came at once and equals the last one but for its index: a server that ignores the
 * index answers like that every time.
 */
export function staysCharged(position: Position, answered: Answered): boolean {
  return !answered.isNews || (answered.content === position.content && isAtOnce(answered));
}

/** Whether an answer is of another log than the index that was sent. */
export function isOfAnotherLog(position: Position, { handle }: Answered): boolean {
  if (position.index === undefined || position.handle === undefined) return false;
  return handle !== undefined && handle !== position.handle;
}
