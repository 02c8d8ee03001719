import { randomUUID } from 'node:crypto';

const probes = new WeakSet();

/** The input of a `connected` for a token that nobody has issued. */
export function newProbe(): { readonly player_token: string } {
  const probe = { player_token: `nobody-issued-${randomUUID()}` };
  probes.add(probe);
  return probe;
}

/** Whether the input was made by {@link newProbe}. No slot has to be freed for it. */
export function isProbe(input: object): boolean {
  return probes.has(input);
}
