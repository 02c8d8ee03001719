import type { Gap } from '../../../stream/index.js';
import type { FleetMessage, StoredRecord, StreamState } from '../nats/index.js';

/**
 * How many messages to remember. A server that loses power loses the messages of up to two minutes.
 */
const REMEMBERED_MESSAGES = 4_096;

/** The position of a record, or `lost` if the stream has lost it. No record follows a lost one. */
type RecordPosition = number | 'lost';

/** The last record of an identity, and the one before it. */
interface Seen {
  readonly sequence: RecordPosition;
  /** `undefined` if no record of the identity was seen before. */
  readonly before: RecordPosition | undefined;
}

const SEEN_AND_LOST: Seen = { sequence: 'lost', before: 'lost' };

/**
 * Follows the records of each identity from one to the next. Each record names the one before it.
 * If that one was not seen, it expired before it was read, or NATS has lost it.
 */
export class RecordChain {
  readonly #start: RecordPosition;
  /** By identity. */
  readonly #seen = new Map<string, Seen>();

  /**
   * Everything up to `start` has been seen before. It is 0 if that does not matter, and `lost` if
   * the stream has lost that position.
   */
  constructor(start: RecordPosition) {
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

  /** All messages after a position have been lost. Other records may have their positions. */
  lose(after: number): void {
    for (const [identity_id, { sequence }] of this.#seen) {
      if (sequence !== 'lost' && sequence > after) this.#seen.set(identity_id, SEEN_AND_LOST);
    }
  }
}

/**
 * Identifies a message by its position and the time when it was stored, in ms. No other message was
 * stored there at that time.
 */
export type StoredAt = Pick<FleetMessage, 'sequence' | 'at'>;

/**
 * The last messages that were handled. They show where a stream has lost its end and was continued
 * with other messages.
 */
export class HandledTail {
  readonly #messages: StoredAt[] = [];

  add({ sequence, at }: StoredAt): void {
    this.#messages.push({ sequence, at });
    if (this.#messages.length > 2 * REMEMBERED_MESSAGES) this.#messages.splice(0, REMEMBERED_MESSAGES);
  }

  /**
   * The position of the last message that is still stored, or 0. The messages after it are
   * forgotten.
   */
  async lastKept(isStored: (message: StoredAt) => Promise<boolean>): Promise<number> {
    const messages = this.#messages;
    // A binary search: all messages before `kept` are stored, and none from `lost` on.
    let kept = 0;
    let lost = messages.length;
    let middle = lost - 1;
    while (kept < lost) {
      if (await isStored(messages[middle]!)) kept = middle + 1;
      else lost = middle;
      middle = (kept + lost) >> 1;
    }
    messages.length = kept;
    return messages.at(-1)?.sequence ?? 0;
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
 * Remembers which records a consumer has handled. The stream may lose its end, or be created again.
 */
export class HandledRecords {
  #tail = new HandledTail();
  /** The last message that was handled. */
  #last: StreamPosition | undefined;
  /** The position where it began in the present stream. */
  #begun = 0;
  /** `undefined` until it has begun. */
  #chain: RecordChain | undefined;

  /** Without a position, it begins with the next stored record. */
  constructor(position: number | undefined) {
    if (position !== undefined) this.continue(position);
  }

  /**
   * An earlier process has handled everything up to this position. 0 is the beginning of any
   * stream.
   */
  continue(position: number): void {
    this.#last = fromPosition(position);
  }

  get hasBegun(): boolean {
    return this.#chain !== undefined;
  }

  /** Returns the message after which to go on in the stream as it is now. */
  async resume(
    { first, last }: StreamState,
    generation: number,
    storedAt: (sequence: number) => Promise<number | undefined>,
  ): Promise<number> {
    const known = this.#last ?? { generation, sequence: last };
    const isSame = known.generation === generation;
    let sequence = isSame ? known.sequence : 0;
    if (isSame && this.#chain) {
      // A server that was killed or restored from a copy may have lost the end of the stream, and
      // may have stored other records since. It reports the time of a message in two ways, which
      // differ by at most 1 ms.
      const isStored = async ({ sequence, at }: StoredAt) => {
        if (sequence < first) return true;
        const stored = await storedAt(sequence);
        return stored !== undefined && Math.abs(stored - at) <= 1;
      };
      const kept = Math.max(this.#begun, await this.#tail.lastKept(isStored));
      sequence = Math.min(sequence, last, kept);
      this.#chain.lose(sequence);
    } else {
      // At 0, nothing has been handled of any stream.
      const isLost = isSame ? sequence > last : toPosition(known) > 0;
      sequence = Math.min(sequence, last);
      this.#chain = new RecordChain(isLost ? 'lost' : sequence);
      this.#tail = new HandledTail();
      this.#begun = sequence;
    }
    this.#last = { generation, sequence };
    return sequence;
  }

  gapBefore(record: StoredRecord): Gap | undefined {
    return this.#chain!.gapBefore(record);
  }

  add(message: StoredAt): void {
    this.#last = { ...this.#last!, sequence: message.sequence };
    this.#tail.add(message);
  }

  /** The position of a message of the present stream. */
  positionOf({ sequence }: Pick<StoredAt, 'sequence'>): number {
    return toPosition({ ...this.#last!, sequence });
  }
}
