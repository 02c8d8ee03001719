import type { LiveEvent } from '../protocol/index.js';

/** The kinds of live events. */
export const KINDS: readonly LiveEvent['kind'][] = [
  'identity_update',
  'matchmaker_lobby_join',
  'unknown',
  'malformed',
];
