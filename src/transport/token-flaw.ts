/** What is wrong with a bearer token, in words, without its value; `undefined` where nothing is. */
export function tokenFlaw(token: unknown): string | undefined {
  if (typeof token !== 'string') return 'not a string';
  if (token === '') return 'an empty string';
  // Beyond these a header cannot carry it, and what refuses it there quotes the token in its error.
  if (!/^[\x21-\x7e]+$/.test(token)) return 'a string with spaces, line breaks or letters beyond ASCII';
  return undefined;
}
