import {
  anAnswer,
  anAnswerObject,
  aPlainValue,
  atOnce,
  describe,
  expectRejections,
  InputError,
  valueAt,
} from '../error/index.js';
import { jsonHash, textHash } from '../protocol/index.js';
import type { IndexGuard } from './resume-point.js';

/**
 * What an answer says about its place in the log. All fields are optional. `indexOf` says where an
 * index stands that is left out.
 *
 * An index is a string, which is sent back as it is, or a safe integer.
 */
export interface Reading {
  /** The index for the next poll. */
  readonly index?: string | number | null | undefined;
  /** Whether the answer has no news. Default false, or what its endpoint says. */
  readonly isEmpty?: boolean | undefined;
  /**
   * The log that the index belongs to. An answer of another log than before is not delivered. The
   * watch goes on without an index, with a gap (`another_log`).
   */
  readonly handle?: string | number | null | undefined;
  /**
   * An answer with the key of the last news is a repeat. Default: a hash of the whole answer. For a
   * state, the hash leaves out the index. A state whose index is read by a function needs a key.
   */
  readonly key?: unknown;
  /**
   * Whether events before this answer are missing, as the service itself says. The answer comes
   * after a gap (`forgotten`), even if it is of another log.
   */
  readonly hasGap?: boolean | undefined;
  /**
   * The index where the log ends now. If it is older than the index that was sent, the log has been
   * created again or restored. Then an empty answer moves the watch back to the end, with a gap
   * (`index_backwards`).
   */
  readonly end?: string | number | null | undefined;
  /** Whether the log is closed. The watch completes after this answer. */
  readonly isClosed?: boolean | undefined;
}

/** The options of a watch that say how its answers are read. */
export interface ReadingConfig<A> {
  readonly read?: ((answer: A) => Reading) | undefined;
  readonly indexOf?: string | ((answer: A) => string | number | null | undefined) | undefined;
  readonly isState?: boolean | undefined;
  readonly redelivers?: boolean | undefined;
}

/** Makes a key of an answer. It may use the text of the answer and its index, if they are known. */
export type KeyOf<A> = (answer: A, text: string | undefined, index: string | undefined) => unknown;

/** What an endpoint says about how its answers are read. */
export interface OwnReading<A> {
  readonly isEmpty?: ((answer: A) => boolean) | undefined;
  readonly isState?: boolean | undefined;
  readonly keyOf?: KeyOf<A> | undefined;
  /** A key of an answer without its index. */
  readonly contentOf?: KeyOf<A> | undefined;
}

/** What a watch knows of an answer. An index that cannot be sent is `undefined`. */
export interface ReadAnswer {
  readonly index: string | undefined;
  /** Whether the index cannot be sent because it is a number that `JSON.parse` has rounded. */
  readonly isIndexRounded: boolean;
  readonly end: string | undefined;
  readonly handle: string | undefined;
  readonly isEmpty: boolean;
  readonly hasGap: boolean;
  readonly isClosed: boolean;
  /** By which a repeat is recognized. That of an empty answer means nothing. */
  readonly key: unknown;
  /** The key without the index. */
  readonly content: unknown;
}

/** Reads an answer, and the text that it was decoded from if that is known. */
export type Read<A> = (answer: A, text?: string) => ReadAnswer;

/**
 * Makes the function that reads the answers of a watch. `isIndex` says whether an index can be
 * sent.
 */
export function readerOf<A>(config: ReadingConfig<A>, own: OwnReading<A>, isIndex: IndexGuard): Read<A> {
  const { indexOf = 'watch.index' } = config;
  const read = config.read ? readerAtOnce(config.read) : readNothing;
  const isEmpty = atOnce('isEmpty', own.isEmpty ?? never, aPlainValue);
  const { contentOf = contentBut(indexOf) } = own;
  const indexIn = fieldReader(indexOf);
  const keyOf = keyOfNews(config, own, contentOf);
  // The hash of a state leaves out its index, so it has to be known where that stands.
  const needsKey = keyOf === contentOf && !own.keyOf;
  return (answer, text) => {
    const said = read(answer);
    if (needsKey && said.index != null && said.key === undefined) throw noKey('an index without a key');
    const given = said.index ?? indexIn(answer);
    const index = usable(given, isIndex);
    const isEmptyAnswer = said.isEmpty ?? isEmpty(answer);
    let key: unknown;
    let content: unknown;
    if (!isEmptyAnswer) {
      key = config.redelivers === false ? newKey() : (said.key ?? keyOf(answer, text, index));
      const isSame = contentOf === keyOf && said.key === undefined;
      const hash = said.index == null ? contentOf : contentButIndex;
      content = isSame ? key : hash(answer, text, index);
    }
    return {
      index,
      isIndexRounded: Number.isInteger(given) && !Number.isSafeInteger(given),
      end: usable(said.end, isIndex),
      handle: usable(said.handle, always),
      isEmpty: isEmptyAnswer,
      hasGap: said.hasGap === true,
      isClosed: said.isClosed === true,
      key,
      content,
    };
  };
}

/** Makes `read` throw an `InputError` if it, or a field of what it returns, answers later. */
function readerAtOnce<A>(read: (answer: A) => Reading): (answer: A) => Reading {
  const readNow = atOnce('read', read, anAnswerObject);
  return answer => {
    const said = readNow(answer);
    for (const [name, value] of Object.entries(said)) {
      if (anAnswer.is(value)) continue;
      expectRejections(value);
      throw new InputError(`${name} of what read returns`, anAnswer.name, describe(value));
    }
    return said;
  };
}

function keyOfNews<A>(
  { read, indexOf, isState }: ReadingConfig<A>,
  own: OwnReading<A>,
  contentOf: KeyOf<A>,
): KeyOf<A> {
  if (own.keyOf) return own.keyOf;
  if (!(isState ?? own.isState)) return keyInLog;
  if (typeof indexOf !== 'function') return contentOf;
  const got = 'an indexOf that is a function';
  if (!read) throw noKey(got);
  return () => {
    throw noKey(got);
  };
}

/** A state has a key by itself only if its index is at a path. */
function noKey(got: string): InputError {
  return new InputError('read', 'a function whose result has a key, with isState', got);
}

/** A key that equals no other key. */
const newKey = () => ({});

/**
 * In a log, an answer without an index or with another one is new, even if it equals the last
 * answer.
 */
const keyInLog: KeyOf<unknown> = (answer, text, index) => {
  if (index === undefined) return newKey();
  return text === undefined ? jsonHash(answer) : textHash(text);
};

const contentButIndex: KeyOf<unknown> = (answer, _, index) => jsonHash(answer, [], index);

function contentBut<A>(indexOf: string | ((answer: A) => unknown)): KeyOf<A> {
  if (typeof indexOf === 'function') return contentButIndex;
  const path = indexOf.split('.');
  return answer => jsonHash(answer, path);
}

/** Reads a field of an answer. */
function fieldReader<A>(place: string | ((answer: A) => unknown)): (answer: A) => unknown {
  if (typeof place === 'function') return atOnce('indexOf', place, aPlainValue);
  const path = place.split('.');
  return answer => valueAt(answer, path);
}

/**
 * Returns an index as it is sent back: a string, even if the service sends a number. Returns
 * `undefined` if the index is empty or cannot be sent.
 */
function usable(index: unknown, isIndex: IndexGuard): string | undefined {
  const text = Number.isSafeInteger(index) ? String(index) : index;
  return typeof text === 'string' && text !== '' && isIndex(text) ? text : undefined;
}

const NOTHING: Reading = {};
const readNothing = () => NOTHING;
const never = () => false;
const always = () => true;

/** Decimal indexes are compared as strings, since numbers lose digits. */
export function isOlderDecimal(index: string, than: string): boolean {
  if (![index, than].every(text => /^\d+$/.test(text))) return false;
  const [a, b] = [index, than].map(digits => digits.replace(/^0+(?=\d)/, '')) as [string, string];
  return a.length === b.length ? a < b : a.length < b.length;
}
