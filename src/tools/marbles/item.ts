/** A row of the picture: a watch, or the requests that belong to none. */
export interface Row {
  /** Its place, from 0. */
  readonly order: number;
  name: string;
}

/**
 * What is drawn in a row.
 *
 * - `line`: the status of the watch.
 * - `poll`: a request, from when it was sent until it ended.
 * - `wait`: until the next poll.
 * - `marble`: an event.
 * - `sign`: how a poll ended, or a gap.
 */
export interface Item {
  readonly row: Row;
  readonly shape: 'line' | 'poll' | 'wait' | 'marble' | 'sign';
  /** In ms since 1970. */
  readonly from: number;
  /** Undefined as long as it goes on. */
  to: number | undefined;
  /** What its colour says. */
  tone: string;
  /** What is written in it. */
  readonly letter: string;
  /** What it is, in words. */
  text: string;
  /** How many marbles of the row are at the same time, before this one. */
  readonly nth: number;
}
