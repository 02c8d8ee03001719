import { expectRejections, isAwaitable, isObservable, isUnwaitable } from './callback/index.js';
import { describe } from './describe.js';
import { InputError } from './input-error.js';

/**
 * A requirement on an argument: a name that completes the phrase "must be …", and the test itself.
 */
export interface Check {
  readonly name: string;
  readonly is: (u: unknown) => boolean;
}

/** A {@link Check} that also narrows the type. Every io-ts codec is one. */
export interface Guard<A> extends Check {
  readonly is: (u: unknown) => u is A;
}

/**
 * Returns a valid argument unchanged. Otherwise throws an `InputError` that says what is expected.
 */
export function checkArgument<A>(name: string, guard: Guard<A>, value: unknown): A {
  if (guard.is(value)) return value;
  throw new InputError(name, guard.name, describe(value));
}

/**
 * Returns what a callback returned that has to answer at once. Throws an `InputError` if that is
 * not what is expected of it, for example the promise of an async function, which is always true.
 *
 * `callback` is its name in the error.
 */
export function answeredAtOnce<R, A>(callback: string, returned: R, expected: Guard<A>): R & A {
  if (expected.is(returned)) return returned;
  expectRejections(returned);
  throw new InputError(
    callback,
    `a function that returns ${expected.name}`,
    `one that returned ${describe(returned)}`,
  );
}

/** A stream. It is subscribed to later, so a promise of it would be too late. */
export const anObservable: Guard<object> = { name: 'an Observable', is: isObservable };

/** Anything but a promise, an Observable, or work that has not begun. */
export const anAnswer: Guard<unknown> = {
  name: 'its answer at once, and no promise, Observable, function or iterator',
  // Most answers are no object.
  is: (u): u is unknown => Object(u) !== u || (!isAwaitable(u) && !isUnwaitable(u)),
};

/** A yes or no, a number or a text. Any object would be a yes, even an array of promises. */
export const aPlainValue: Guard<unknown> = {
  name: 'a plain value at once, and no object',
  is: (u): u is unknown => Object(u) !== u,
};

/**
 * Makes a callback throw an `InputError` if it does not answer at once (see `answeredAtOnce`).
 *
 * @example
 * const isEmpty = atOnce('isEmpty', config.isEmpty, aPlainValue);
 */
export function atOnce<Args extends readonly unknown[], A>(
  name: string,
  callback: (...args: Args) => A,
  expected: Guard<unknown> = anAnswer,
): (...args: Args) => A {
  return (...args) => answeredAtOnce<A, unknown>(name, callback(...args), expected);
}

/** An object that a callback makes. */
export const anAnswerObject: Guard<object> = {
  name: 'an object at once, and no promise, Observable, function or iterator',
  is: (u): u is object => plainObject.is(u) && anAnswer.is(u),
};

/** An object with named fields. */
export const plainObject: Guard<Readonly<Record<string, unknown>>> = {
  name: 'an object',
  is: (u): u is Readonly<Record<string, unknown>> =>
    typeof u === 'object' && u !== null && !Array.isArray(u) && !(u instanceof String),
};

/** A callback or a factory. */
export const aFunction: Guard<(...args: never[]) => unknown> = {
  name: 'a function',
  is: (u): u is (...args: never[]) => unknown => typeof u === 'function',
};

/** Only `true` and `false`, not what counts as them. */
export const aBoolean: Guard<boolean> = {
  name: 'true or false',
  is: (u): u is boolean => typeof u === 'boolean',
};

/** An RxJS scheduler, used as a clock with timers. */
export const schedulerLike: Guard<object> = {
  name: 'an RxJS scheduler',
  is: (u): u is object => {
    const { now, schedule } = fieldsOf(u);
    return typeof now === 'function' && typeof schedule === 'function';
  },
};

/** Something that shows the time. */
export const clock: Check = {
  name: 'an object with a method now',
  is: u => typeof fieldsOf(u).now === 'function',
};

/** Anything that RxJS can subscribe to, except strings, which it would take apart. */
export const observableInput: Guard<PromiseLike<unknown> | Iterable<unknown> | AsyncIterable<unknown>> = {
  name: 'an Observable, a promise or an iterable',
  is: (u): u is PromiseLike<unknown> | Iterable<unknown> | AsyncIterable<unknown> =>
    typeof u === 'object' &&
    u !== null &&
    !(u instanceof String) &&
    (Symbol.asyncIterator in u || Symbol.iterator in u || isAwaitable(u)),
};

/**
 * The longest delay that timers support, in ms. They treat anything longer, including `Infinity`,
 * as no delay at all.
 */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** A duration in ms that no timer measures. */
export const duration: Guard<number> = {
  name: 'a number of milliseconds, at least 0',
  is: (u): u is number => Number.isFinite(u) && (u as number) >= 0,
};

/** A duration in ms that a timer measures. */
export const milliseconds: Guard<number> = {
  name: `a number of milliseconds from 0 to ${MAX_DELAY_MS}`,
  is: (u): u is number => typeof u === 'number' && u >= 0 && u <= MAX_DELAY_MS,
};

/** A count. */
export const positiveInteger: Guard<number> = {
  name: 'a positive integer',
  is: (u): u is number => Number.isSafeInteger(u) && (u as number) > 0,
};

/** A string that must not be empty, such as a token. */
export const nonEmptyString: Guard<string> = {
  name: 'a non-empty string',
  is: (u): u is string => typeof u === 'string' && u !== '',
};

/** The maximum length in a URL. Servers reject longer ones. */
const MAX_CURSOR_LENGTH = 2048;

/**
 * A watch index or an anchor: a string from the server that is sent back in a URL. It is opaque,
 * and never a number.
 *
 * It cannot be part of a URL if it has a lone surrogate, or is longer than servers accept.
 */
export const cursor: Guard<string> = {
  name: 'string that fits in a URL',
  is: (u): u is string => typeof u === 'string' && encodedLength(u) <= MAX_CURSOR_LENGTH,
};

/** A watch index or an anchor as an argument. Deployed servers fail on an empty one. */
export const cursorArgument: Guard<string> = {
  name: 'a non-empty string from an earlier answer; omit it to start over',
  is: (u): u is string => cursor.is(u) && u !== '',
};

/**
 * Whether a string has no lone surrogates and can be part of a URL. `String.isWellFormed` is newer
 * than our target.
 */
export function isWellFormed(text: string): boolean {
  return encodedLength(text) < Infinity;
}

/** The length of a text in a URL. It is infinite if the text cannot be part of a URL. */
function encodedLength(text: string): number {
  try {
    return encodeURIComponent(text).length;
  } catch {
    return Infinity;
  }
}

/** The fields of any value, none of which is known yet. */
export function fieldsOf(u: unknown): Readonly<Record<string, unknown>> {
  return Object(u) as Readonly<Record<string, unknown>>;
}

/** The value at a path of names. `undefined` if there is none. */
export function valueAt(u: unknown, path: readonly string[]): unknown {
  let value = u;
  for (const name of path) value = fieldsOf(value)[name];
  return value;
}
