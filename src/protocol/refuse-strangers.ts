import { describe } from './describe.js';
import { InputError } from './input-error.js';

/**
 * Throws an `InputError` where an object has a field that means nothing: misspelt, it would be passed over without a word.
 * `prefix` leads to the object.
 */
export function refuseStrangers(given: object, known: readonly string[], prefix = ''): void {
  const stranger = (Object.entries(given) as [string, unknown][]).find(
    ([name, value]) => value !== undefined && !known.includes(name),
  );
  if (!stranger) return;
  const [name, value] = stranger;
  throw new InputError(prefix + name, `one of ${known.join(', ') || 'no arguments at all'}`, describe(value));
}
