/** A row of the picture. It shows a watch, or the requests that belong to no watch. */
export interface Row {
  /** The number of the row. The first is 0. */
  readonly order: number;
  name: string;
}

/**
 * An item of a row.
 *
 * - `line`: the status of the watch.
 * - `poll`: a request, from when it was sent until it ended.
 * - `wait`: the time until the next poll.
 * - `marble`: an event.
 * - `sign`: how a poll ended, or a gap.
 */
export interface Item {
  readonly row: Row;
  readonly shape: 'line' | 'poll' | 'wait' | 'marble' | 'sign';
  /** The start of the item, in ms since 1970. */
  readonly from: number;
  /** The end of the item, in ms since 1970. `undefined` until it has ended. */
  to: number | undefined;
  /** The meaning of its colour. */
  tone: string;
  /** The text inside the item. */
  readonly letter: string;
  /** The item in words. */
  text: string;
  /** How many marbles of the row are at the same time, before this one. */
  readonly nth: number;
}
