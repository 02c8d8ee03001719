import type { LiveEvent } from '../protocol/index.js';
import { KINDS } from './kinds.js';

/** The kind that a flag names; throws an error that says which there are. */
export function kindIn(text: string | undefined): LiveEvent['kind'] | undefined {
  const kind = KINDS.find(known => known === text);
  if (text !== undefined && kind === undefined)
    throw new Error(`--kind must be one of ${KINDS.join(', ')}; got '${text}'`);
  return kind;
}
