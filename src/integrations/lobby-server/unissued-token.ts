import { randomUUID } from 'node:crypto';

const unissued = new WeakSet();

/** The input of a `connected` for a token that nobody has issued. */
export function unissuedToken(): { readonly player_token: string } {
  const input = { player_token: `nobody-issued-${randomUUID()}` };
  unissued.add(input);
  return input;
}

/** Whether the input was made by {@link unissuedToken}. No slot has to be freed for it. */
export function isUnissuedToken(input: object): boolean {
  return unissued.has(input);
}
