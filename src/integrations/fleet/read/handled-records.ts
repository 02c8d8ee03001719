import type { Gap } from '../../../stream/index.js';
import { BEGINNING, type StoredAt, type StoredRecord, type StreamState } from '../nats/index.js';

/** The last record of an identity, and the one before it. */
interface Seen {
  readonly sequence: number;
  /** `undefined` if no record of the identity was seen before. */
  readonly before: number | undefined;
}

/**
 * Follows the records of each identity from one to the next. Each record names the one before it.
 * If that one was not seen, it expired before it was read, or NATS has lost it.
 */
export class RecordChain {
  readonly #start: number | 'lost';
  /** By identity. */
  readonly #seen = new Map<string, Seen>();

  /**
   * Everything up to `start` has been seen before. It is 0 if that does not matter, and `lost` if
   * the stream has lost that position.
   */
  constructor(start: number | 'lost') {
    this.#start = start;
  }

  /**
   * Returns the gap before a record, or `undefined`. It may be called again for the same record.
   */
  gapBefore({ identity_id, sequence, after, gap }: StoredRecord): Gap | undefined {
    const seen = this.#seen.get(identity_id);
    const before = seen?.sequence === sequence ? seen.before : seen?.sequence;
    this.#seen.set(identity_id, { sequence, before });
    const isMissing = before === undefined ? this.#isAfterStart(after) : after !== before;
    if (gap) return gap;
    return isMissing ? { reason: 'silence', at: Date.now(), index: undefined } : undefined;
  }

  /** Whether a record that was never seen should have been. */
  #isAfterStart(sequence: number): boolean {
    if (this.#start === 'lost') return true;
    // A new consumer could never have read the records that expired before it began.
    return this.#start > 0 && sequence > this.#start;
  }
}

/**
 * The position of a message in one of the streams that a fleet has had. If a stream is deleted, it
 * is created again, and numbers its messages from the beginning.
 */
interface StreamPosition {
  /** The number of the stream. It is higher than those of all streams before. */
  readonly generation: number;
  readonly sequence: number;
}

/**
 * No stream can have this many messages. A generation has at most 13 bits, so both together are a
 * safe integer.
 */
const SEQUENCES = 2 ** 40;

/**
 * Combines both to one number. It is higher than those of all messages before, even in earlier
 * streams.
 */
export function toPosition({ generation, sequence }: StreamPosition): number {
  return generation * SEQUENCES + sequence;
}

function fromPosition(position: number): StreamPosition {
  return { generation: Math.floor(position / SEQUENCES), sequence: position % SEQUENCES };
}

/**
 * A position in a fleet's stream: that of a batch, and when the batch was stored, in ms. Both
 * together say which message it was. NATS may give the position to another one, if it is set back
 * to an older copy of the stream. At 0, nothing has been handled.
 */
export interface FleetPosition {
  readonly position: number;
  readonly storedAt: number;
}

/** The position of a consumer that has handled nothing. */
export const NOTHING: FleetPosition = { position: 0, storedAt: 0 };

/**
 * Remembers which records a consumer has handled. The stream may lose its end, or be created again.
 */
export class HandledRecords {
  /** The last message that was handled. */
  #last: (StreamPosition & StoredAt) | undefined;
  /** `undefined` until it has begun. */
  #chain: RecordChain | undefined;

  /** Without a position, it begins with the next stored record. */
  constructor(position: FleetPosition | undefined) {
    if (position !== undefined) this.continue(position);
  }

  /**
   * An earlier process has handled everything up to this position. 0 is the beginning of any
   * stream.
   */
  continue({ position, storedAt: at }: FleetPosition): void {
    this.#last = { ...fromPosition(position), at };
  }

  get hasBegun(): boolean {
    return this.#chain !== undefined;
  }

  /**
   * Returns the position after which to go on in the stream as it is now. `lastKept` finds the last
   * message that the stream still has of those up to another one.
   */
  async resume(
    stream: StreamState,
    generation: number,
    lastKept: (known: StoredAt) => Promise<StoredAt>,
  ): Promise<number> {
    const known = this.#last ?? { generation, sequence: stream.last, at: stream.lastAt };
    // A position below the first message has expired, or is one of another stream.
    const isOther = known.generation !== generation && known.sequence < stream.first;
    const { sequence, at } = isOther ? BEGINNING : await lastKept(known);
    const isLost = sequence < known.sequence;
    // Also identities of which nothing was lost get a gap, because their positions go back, too.
    if (!this.#chain || isLost) this.#chain = new RecordChain(isLost ? 'lost' : sequence);
    this.#last = { generation, sequence, at };
    return sequence;
  }

  gapBefore(record: StoredRecord): Gap | undefined {
    return this.#chain!.gapBefore(record);
  }

  add({ sequence, at }: StoredAt): void {
    this.#last = { ...this.#last!, sequence, at };
  }

  /** The position of a message of the present stream. */
  positionOf({ sequence }: Pick<StoredAt, 'sequence'>): number {
    return toPosition({ ...this.#last!, sequence });
  }
}
