import { isObservable, isPromise } from './callback/index.js';
import { tryOr } from './callback/index.js';

/**
 * Describes a value in a few words for an error message. Strings are never quoted, since they may
 * be tokens.
 */
export function describe(value: unknown): string {
  if (value == null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return 'an array';
  if (value instanceof String) return 'a String object, not a string';
  if (tryOr(() => isPromise(value), false)) return 'a promise';
  if (tryOr(() => isObservable(value), false)) return 'an Observable';
  switch (typeof value) {
    case 'string':
      return value === ''
        ? 'an empty string'
        : `a string of ${value.length} character${value.length === 1 ? '' : 's'}`;
    case 'number':
      return Math.abs(value) < 1e6 || !Number.isFinite(value) ? String(value) : 'a large number';
    case 'object':
      return 'an object';
  }
  return `a ${typeof value}`;
}

/**
 * Describes the type of a value without the value itself, which comes from elsewhere and may be
 * secret.
 */
export function shapeOf(value: unknown): string {
  return typeof value === 'number' || typeof value === 'boolean' ? `a ${typeof value}` : describe(value);
}

/** The text of a thrown value. Anything can be thrown, even a value without a text. */
export function textOf(message: unknown): string {
  return tryOr<string>(() => String(message), typeof message);
}

/**
 * Characters that could move the cursor of a terminal, colour it, break a line of a log or reorder
 * its text. Lone surrogates, too.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const UNSAFE_RUNS = new RegExp(`${UNSAFE.source}+`, 'gu');

/**
 * Replaces control characters with spaces. Text from elsewhere must not control the terminal or the
 * log that shows it.
 */
export function printable(text: string): string {
  return text.replace(UNSAFE_RUNS, ' ');
}

/**
 * Escapes control characters in JSON. `JSON.stringify` leaves some of them as they are, such as
 * U+009B.
 */
export function printableJson(json: string): string {
  return json.replace(UNSAFE, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
