import type { Call } from './call.js';
import { Refusal } from './refusal.js';
import type { Bearer } from './records.js';
import type { World } from './world.js';

/** The id of whom a call's token speaks for; refuses it where that is nobody of this kind. */
export function bearerOf(kind: Bearer['kind'], { bearer: token }: Call, { bearers }: World): string {
  const bearer = token === undefined ? undefined : bearers.get(token);
  if (bearer?.kind !== kind) {
    throw new Refusal(
      401,
      'CLAIMS_MISSING_ENTITLEMENT',
      `This needs the token of ${kind === 'lobby' ? 'a lobby' : 'an identity'}.`,
    );
  }
  if (bearer.expired) throw new Refusal(401, 'CLAIMS_ENTITLEMENT_EXPIRED', 'The token has expired.');
  return bearer.id;
}
