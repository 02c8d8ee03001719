import { describe } from './describe.js';
import { InputError } from './input-error.js';

/** What an argument must be: a name that completes "must be …", and the test. */
export interface Check {
  readonly name: string;
  readonly is: (u: unknown) => boolean;
}

/** A {@link Check} that tells the compiler, too. Every io-ts codec is one. */
export interface Guard<A> extends Check {
  readonly is: (u: unknown) => u is A;
}

/** What each option of a config must be. */
export type Options<Config> = Readonly<Record<keyof Config, Check>>;

/** Returns a valid argument as it is; throws an `InputError` that says what it must be otherwise. */
export function checkArgument<A>(name: string, guard: Guard<A>, value: unknown): A {
  if (guard.is(value)) return value;
  throw new InputError(name, guard.name, describe(value));
}

/**
 * Throws an `InputError` if options or an input have a key that nobody reads: a misspelt one would be ignored silently.
 * `name` leads to the object, `watch` say; the object may be absent.
 */
export function rejectUnknownKeys(given: unknown, known: readonly string[], name = ''): void {
  if (given === undefined) return;
  const entries = Object.entries(checkArgument(name || 'config', plainObject, given));
  const unknown = entries.find(([key, value]) => value !== undefined && !known.includes(key));
  if (!unknown) return;
  const [key, value] = unknown;
  const path = name ? `${name}.${key}` : key;
  throw new InputError(path, `one of ${known.join(', ') || 'no arguments at all'}`, describe(value));
}

/**
 * Throws an `InputError` if a config has an option that nobody knows, or one whose value is invalid. Options that are
 * `undefined` count as left out. `name` leads to the config if it is itself an option: `watch`, say.
 */
export function checkOptions<Config extends object>(
  config: Config | undefined,
  options: Options<Config>,
  name = '',
): void {
  if (config === undefined) return;
  rejectUnknownKeys(config, Object.keys(options), name);
  for (const [key, { name: expected, is }] of Object.entries<Check>(options)) {
    const value = (config as Readonly<Record<string, unknown>>)[key];
    if (value === undefined || is(value)) continue;
    throw new InputError(name ? `${name}.${key}` : key, expected, describe(value));
  }
}

/** The options that have a value, to be spread over defaults: one that is `undefined` must not replace any. */
export function given<Config extends object>(config: Config | undefined): Config {
  return Object.fromEntries(
    Object.entries(config ?? {}).filter(([, value]) => value !== undefined),
  ) as Config;
}

/** An object with named fields. */
export const plainObject: Guard<Readonly<Record<string, unknown>>> = {
  name: 'an object',
  is: (u): u is Readonly<Record<string, unknown>> => typeof u === 'object' && u !== null && !Array.isArray(u),
};

/** A callback or a factory. */
export const aFunction: Guard<(...args: never[]) => unknown> = {
  name: 'a function',
  is: (u): u is (...args: never[]) => unknown => typeof u === 'function',
};

/** A switch. */
export const aBoolean: Guard<boolean> = {
  name: 'true or false',
  is: (u): u is boolean => typeof u === 'boolean',
};

/** A clock with timers, as RxJS has them. */
export const schedulerLike: Guard<object> = {
  name: 'an RxJS scheduler',
  is: (u): u is object => {
    const { now, schedule } = Object(u) as { now?: unknown; schedule?: unknown };
    return typeof now === 'function' && typeof schedule === 'function';
  },
};

/** The longest delay that timers take. They treat anything longer, `Infinity` included, as no delay at all. */
const LONGEST_DELAY = 2 ** 31 - 1;

/** A duration. */
export const milliseconds: Guard<number> = {
  name: `a number of milliseconds from 0 to ${LONGEST_DELAY}`,
  is: (u): u is number => typeof u === 'number' && u >= 0 && u <= LONGEST_DELAY,
};

/** A count. */
export const positiveInteger: Guard<number> = {
  name: 'a positive integer',
  is: (u): u is number => Number.isSafeInteger(u) && (u as number) > 0,
};

/** A string that must say something: a token, say. */
export const nonEmptyString: Guard<string> = {
  name: 'a non-empty string',
  is: (u): u is string => typeof u === 'string' && u !== '',
};

const LONGEST_CURSOR = 2048;

/**
 * A watch index or an anchor: a string of the server's that is sent back in a URL. Opaque, never a number.
 *
 * One that no URL takes (a lone surrogate, or longer than servers accept) is invalid already in the answer that brought
 * it. Rejected only at the next request, the caller would be blamed for it.
 */
export const cursor: Guard<string> = {
  name: 'string that fits a URL',
  is: (u): u is string => typeof u === 'string' && u.length <= LONGEST_CURSOR && isWellFormed(u),
};

/** A watch index or an anchor as an argument. Deployed servers fail at an empty one. */
export const cursorArgument: Guard<string> = {
  name: 'a non-empty string as an answer gave it; leave it out to begin anew',
  is: (u): u is string => cursor.is(u) && u !== '',
};

/** Whether a string has no lone surrogate, so that it can be part of a URL. (`String.isWellFormed` is newer than our target.) */
export function isWellFormed(text: string): boolean {
  try {
    encodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
