import { describe } from './describe.js';
import { InputError } from './input-error.js';

/** A requirement on an argument: a name that completes the phrase "must be …", and the test itself. */
export interface Check {
  readonly name: string;
  readonly is: (u: unknown) => boolean;
}

/** A {@link Check} that also narrows the type. Every io-ts codec is one. */
export interface Guard<A> extends Check {
  readonly is: (u: unknown) => u is A;
}

/** A {@link Check} for each option of a config. */
export type Options<Config> = Readonly<Record<keyof Config, Check>>;

/** Returns a valid argument unchanged. Otherwise throws an `InputError` that says what is expected. */
export function checkArgument<A>(name: string, guard: Guard<A>, value: unknown): A {
  if (guard.is(value)) return value;
  throw new InputError(name, guard.name, describe(value));
}

/**
 * Throws an `InputError` if options have an unknown key: a misspelt key would otherwise be ignored silently. `name` is the path to the
 * object in error messages, for example `watch`. The object may be absent. `what` says what its keys are.
 */
export function rejectUnknownKeys(
  given: unknown,
  known: readonly string[],
  name = '',
  what = 'option',
): void {
  if (given === undefined) return;
  const entries = Object.entries(checkArgument(name || 'config', plainObject, given));
  const [unknown] = entries.find(([key, value]) => value !== undefined && !known.includes(key)) ?? [];
  if (unknown === undefined) return;
  const path = name ? `${name}.${unknown}` : unknown;
  const meant = nearestName(unknown, known);
  const message = `unknown ${what} \`${path}\`${meant ? `; did you mean \`${meant}\`?` : '.'}`;
  const choice = known.length > 0 ? known.join(', ') : 'none';
  const names = `${what.charAt(0).toUpperCase()}${what.slice(1)}s: ${choice}`;
  throw new InputError(path, `one of: ${choice}`, `an unknown ${what}`, `${message} ${names}`);
}

/**
 * Throws an `InputError` if a config has an unknown option or an invalid value, or lacks a required one. Options that are `undefined`
 * count as omitted. `name` is the path to the config if it is itself an option, for example `watch`.
 */
export function checkOptions<Config extends object>(
  config: Config | undefined,
  options: Options<Config>,
  name = '',
  required: readonly (keyof Config)[] = [],
): void {
  if (required.length > 0) checkArgument(name || 'config', plainObject, config);
  rejectUnknownKeys(config, Object.keys(options), name);
  for (const [key, check] of Object.entries<Check>(options)) {
    const value = (config as Readonly<Record<string, unknown>> | undefined)?.[key];
    if (value !== undefined || required.includes(key as keyof Config))
      checkArgument(name ? `${name}.${key}` : key, check as Guard<unknown>, value);
  }
}

/** The options that have a value, to be spread over defaults: one that is `undefined` must not replace any. */
export function given<Config extends object>(config: Config | undefined): Config {
  const options: Record<string, unknown> = {};
  // Inherited ones, too: a config may be made by `Object.create(defaults)`.
  for (const key in config) if (config[key] !== undefined) options[key] = config[key];
  return options as Config;
}

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

/** A flag. */
export const aBoolean: Guard<boolean> = {
  name: 'true or false',
  is: (u): u is boolean => typeof u === 'boolean',
};

/** An RxJS scheduler, used as a clock with timers. */
export const schedulerLike: Guard<object> = {
  name: 'an RxJS scheduler',
  is: (u): u is object => {
    const { now, schedule } = Object(u) as { now?: unknown; schedule?: unknown };
    return typeof now === 'function' && typeof schedule === 'function';
  },
};

/** Something that shows the time. */
export const clock: Check = {
  name: 'an object with a method now',
  is: u => typeof (Object(u) as { now?: unknown }).now === 'function',
};

/** What RxJS can subscribe to. An Observable is in it at run time, under the key that RxJS looks for, or by its methods. */
type Awaitable = PromiseLike<unknown> | Iterable<unknown> | AsyncIterable<unknown>;

/** Anything that RxJS can subscribe to, except strings, which it would take apart. */
export const observableInput: Guard<Awaitable> = {
  name: 'an Observable, a promise or an iterable',
  is: (u): u is Awaitable =>
    typeof u === 'object' &&
    u !== null &&
    !(u instanceof String) &&
    (Symbol.asyncIterator in u ||
      Symbol.iterator in u ||
      OBSERVABLE in u ||
      ('then' in u && typeof u.then === 'function') ||
      ('lift' in u && 'subscribe' in u && typeof u.subscribe === 'function')),
};

const OBSERVABLE = (Symbol as { readonly observable?: symbol }).observable ?? '@@observable';

/** Converts the return value of a callback to an input for `from`: nothing, if it cannot be subscribed to. */
export function toInput(returned: unknown): Awaitable {
  return observableInput.is(returned) ? returned : [];
}

/** The longest delay that timers support. They treat anything longer, including `Infinity`, as no delay at all. */
const MAX_DELAY = 2 ** 31 - 1;

/** A duration in ms. */
export const milliseconds: Guard<number> = {
  name: `a number of milliseconds from 0 to ${MAX_DELAY}`,
  is: (u): u is number => typeof u === 'number' && u >= 0 && u <= MAX_DELAY,
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

/** Its length in a URL: servers refuse longer ones. */
const MAX_CURSOR_LENGTH = 2048;

/**
 * A watch index or an anchor: a string from the server that is sent back in a URL. Opaque, never a number.
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

/** Whether a string has no lone surrogates and can be part of a URL. `String.isWellFormed` is newer than our target. */
export function isWellFormed(text: string): boolean {
  return encodedLength(text) < Infinity;
}

/** The length of a text in a URL; infinite if it cannot be part of one. */
function encodedLength(text: string): number {
  try {
    return encodeURIComponent(text).length;
  } catch {
    return Infinity;
  }
}

/** The known name that a misspelt one is near, if there is one: `timeuot` is near `timeout`, and `fetch` is not near `watch`. */
export function nearestName(misspelt: string, known: readonly string[]): string | undefined {
  const near = (edits: number) =>
    known.find(name => isWithin(misspelt.toLowerCase(), name.toLowerCase(), edits));
  return (
    near(0) ?? (misspelt.length > 2 ? near(1) : undefined) ?? (misspelt.length > 7 ? near(2) : undefined)
  );
}

/** Whether one text becomes the other if at most so many letters are inserted, removed, replaced, or swapped with their neighbour. */
function isWithin(a: string, b: string, edits: number): boolean {
  if (!a || !b || edits < 0) return a.length + b.length <= edits;
  const [x, y] = [a.slice(1), b.slice(1)];
  if (a.startsWith(b.charAt(0))) return isWithin(x, y, edits);
  const isSwapped = `${a.charAt(1)}${a.charAt(0)}` === b.slice(0, 2);
  if (isSwapped && isWithin(a.slice(2), b.slice(2), edits - 1)) return true;
  return isWithin(x, b, edits - 1) || isWithin(a, y, edits - 1) || isWithin(x, y, edits - 1);
}
