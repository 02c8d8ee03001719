/**
 * Why something may have been missed between two answers.
 *
 * - `silence`: nothing was heard for longer than the service keeps events.
 * - `index_refused`: the service would not go on from the index; the watch began anew without one.
 * - `index_backwards`: the index went back, as after a restart of the service.
 * - `index_missing`: an answer brought no index to go on from.
 */
export type GapReason = 'silence' | 'index_refused' | 'index_backwards' | 'index_missing';

/** A place in a watch where something may have been missed; it comes before the first answer behind it. */
export interface Gap {
  readonly reason: GapReason;
  /** When it was told, in ms since 1970. */
  readonly at: number;
  /** The index that the watch could not go on from, if it had one. */
  readonly index: string | undefined;
}
