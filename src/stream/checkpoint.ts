/** Where a watch stood, to go on from there: an index, and when it was got. */
export interface Checkpoint {
  /** The `watch.index` of an answer; empty where it had none. */
  readonly index: string;
  /** When that answer was asked for, in ms since 1970: the index is no older, and so tells whether it can still be known. */
  readonly at: number;
}
