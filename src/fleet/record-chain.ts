import type { Gap } from '../stream/index.js';
import type { StoredRecord } from './nats/index.js';

/**
 * Follows the records of each identity from one to the next. Each says which one was before it: if that was not seen, it has
 * expired before it was read, or NATS has lost it.
 */
export class RecordChain {
  readonly #start: number;
  /** The last record of each identity, and the one before it. */
  readonly #seen = new Map<string, { readonly sequence: number; readonly before: number | undefined }>();

  /** Everything up to this position has been seen before; 0 if it does not matter; `unknown` if the stream has lost that position. */
  constructor(start: number | 'unknown') {
    this.#start = start === 'unknown' ? -1 : start === 0 ? Infinity : start;
  }

  /** Returns the gap before a record, if there is one. It may be asked again for the same record. */
  gapBefore({ identity_id, sequence, after, gap }: StoredRecord): Gap | undefined {
    const seen = this.#seen.get(identity_id);
    const before = seen?.sequence === sequence ? seen.before : seen?.sequence;
    this.#seen.set(identity_id, { sequence, before });
    const isMissing = before === undefined ? after > this.#start : after !== before;
    return gap ?? (isMissing ? { reason: 'silence', at: Date.now(), index: undefined } : undefined);
  }

  /** What came after a position has been lost, and other records may have its positions. */
  lose(after: number): void {
    for (const [identity_id, { sequence }] of this.#seen)
      if (sequence > after) this.#seen.set(identity_id, { sequence: NaN, before: NaN });
  }
}
