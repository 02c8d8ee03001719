import { describe } from '../protocol/index.js';

/** What is wrong with a bearer token, in words, without its value; `undefined` where nothing is. */
export function tokenFlaw(token: unknown): string | undefined {
  if (typeof token !== 'string') return describe(token);
  if (token === '') return 'an empty string';
  if (/^Bearer\s/i.test(token)) return "a string that begins with 'Bearer', which is added to it";
  // Beyond these a header cannot carry it, and what refuses it there quotes the token in its error.
  if (!/^[\x21-\x7e]+$/.test(token)) return 'a string with spaces, line breaks or letters beyond ASCII';
  return undefined;
}
