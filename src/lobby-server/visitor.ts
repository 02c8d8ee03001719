import type { Line } from './line.js';
import type { Refusal } from './refusal.js';

/** Someone at the gate: he is let in, or turned away. */
export interface Visitor {
  readonly address: string;
  /** The path and query that he asked for, without the token. */
  readonly url: string;
  /** Lets him in; undefined where he has gone or been turned away meanwhile. */
  readonly enter: () => Line | undefined;
  /** Says why, and closes; nothing where he has gone or been turned away before. */
  readonly turnAway: (refusal: Refusal) => void;
}
