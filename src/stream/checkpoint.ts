/** Where a watch stood, to go on from there: an index, and when it was got. */
export interface Checkpoint {
  /** The `watch.index` of an answer. */
  readonly index: string;
  /** When that answer came, in ms since 1970: it tells whether the service can still know the index. */
  readonly at: number;
}
