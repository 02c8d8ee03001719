import type { Gap } from '../../../stream/index.js';
import type { FleetMessage, StoredRecord, StreamState } from '../nats/index.js';

/** How many messages to remember. A server that loses its power loses those of two minutes. */
const REMEMBERED_MESSAGES = 4_096;

/**
 * Follows the records of each identity from one to the next. Each says which one was before it: if
 * that was not seen, it has expired before it was read, or NATS has lost it.
 */
export class RecordChain {
  readonly #start: number;
  /** The last record of each identity, and the one before it. */
  readonly #seen = new Map<string, { readonly sequence: number; readonly before: number | undefined }>();

  /**
   * Everything up to this position has been seen before. It is 0 if that does not matter, and
   * `lost` if the stream has lost that position.
   */
  constructor(start: number | 'lost') {
    this.#start = start === 'lost' ? -1 : start === 0 ? Infinity : start;
  }

  /**
   * Returns the gap before a record, or `undefined`. It may be asked again for the same record.
   */
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

/**
 * A message, and when it was stored, in ms. No other one has been stored at this position at that
 * time.
 */
export type StoredAt = Pick<FleetMessage, 'sequence' | 'at'>;

/**
 * The last messages that were handled: with them it is found where a stream has lost its end, and
 * was continued with others.
 */
export class HandledTail {
  readonly #messages: StoredAt[] = [];

  add({ sequence, at }: StoredAt): void {
    this.#messages.push({ sequence, at });
    if (this.#messages.length > 2 * REMEMBERED_MESSAGES) this.#messages.splice(0, REMEMBERED_MESSAGES);
  }

  /**
   * The position of the last message that is still stored; 0 if none is. The others are forgotten.
   */
  async lastKept(isStored: (message: StoredAt) => Promise<boolean>): Promise<number> {
    const messages = this.#messages;
    // All before `kept` are stored, and none from `lost` on.
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
 * A message of one of the streams that a fleet has had: one that was deleted is created again, and
 * numbers its messages anew.
 */
interface StreamPosition {
  /** The number of the stream: higher than those of all before it. */
  readonly generation: number;
  readonly sequence: number;
}

/**
 * More messages than a stream can have. A generation has at most 13 bits, so that both together are
 * a safe integer.
 */
const SEQUENCES = 2 ** 40;

/**
 * Both as one number, which is higher than those of all messages before, also of earlier streams.
 */
export function toPosition({ generation, sequence }: StreamPosition): number {
  return generation * SEQUENCES + sequence;
}

function fromPosition(position: number): StreamPosition {
  return { generation: Math.floor(position / SEQUENCES), sequence: position % SEQUENCES };
}

/** What a consumer has handled of a stream, which may lose its end, or be created again. */
export class HandledRecords {
  #tail = new HandledTail();
  /** The last message that was handled. */
  #last: StreamPosition | undefined;
  /** Where it began. */
  #begun = 0;
  /** There once it has begun. */
  #chain: RecordChain | undefined;

  /** Without a position, it begins with what is stored next. */
  constructor(position: number | undefined) {
    if (position !== undefined) this.continue(position);
  }

  /**
   * An earlier process has handled everything up to this position; 0 is where any stream begins.
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
      // A server that was killed, or put back, may have lost the end of the stream, and have stored
      // other records since.
      // The server writes times in two ways, which differ by a ms at most.
      const isStored = async ({ sequence, at }: StoredAt) =>
        sequence < first || Math.abs(((await storedAt(sequence)) ?? 0) - at) <= 1;
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
