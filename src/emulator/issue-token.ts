import { randomId } from './random-id.js';
import type { World } from './world.js';

/** An opaque token that says what it is for, so that whoever debugs a game can tell them apart. */
export function issueToken(kind: 'identity' | 'lobby' | 'player', { random }: World): string {
  return `${kind}.${randomId(random).replaceAll('-', '')}`;
}
