/**
 * How a watch is doing.
 *
 * - `connecting`: the first answer is still to come.
 * - `live`: the last poll was answered.
 * - `retrying`: the last poll failed, or had no answer in time; there will be another.
 * - `offline`: likewise, and no connection could be made at all (which browsers do not tell: there it is `retrying`).
 * - `closed`: it ended with the error that follows.
 */
export interface WatchStatus {
  readonly state: 'connecting' | 'live' | 'retrying' | 'offline' | 'closed';
  /** Since when it is in this state, in ms since 1970. */
  readonly since: number;
  /** When the last answer came, in ms since 1970. */
  readonly lastAnswer: number | undefined;
  /** How many polls in a row have failed. */
  readonly attempt: number;
  /** When the next poll goes out, in ms since 1970, where it has to wait. */
  readonly nextTry: number | undefined;
  /** What the last poll failed with. */
  readonly error: unknown;
}
