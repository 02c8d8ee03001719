import { InputError, isWellFormed } from '../protocol/index.js';

/** A text as a part of a URL, all of it encoded; throws an `InputError` where it is none that could be. */
export function encodeText(name: string, text: string): string {
  if (!isWellFormed(text)) throw new InputError(name, 'well-formed text', 'a string with a lone surrogate');
  return encodeURIComponent(text);
}
