/** A message of a stream. */
export interface StreamMessage {
  /** Its position in the stream. */
  readonly sequence: number;
}

/** A message as it is delivered: perhaps again, perhaps after others that were lost on the way. */
export interface Delivery<M extends StreamMessage> {
  readonly message: M;
  /** Whether nothing that belongs between is missing, if everything up to `last` has been handled. */
  readonly follows: (last: number) => boolean;
}

/** Messages may have been stored that were not delivered. */
export const CATCH_UP = 'catch up';

/**
 * Yields each message once and in order, whatever is delivered. What was handled is left out; what is missing is read from the
 * stream by `read`, which emits the messages at or after a position. A message has been handled when the next one is asked for.
 */
export async function* messagesInOrder<M extends StreamMessage>(
  deliveries: AsyncIterable<Delivery<M> | typeof CATCH_UP>,
  read: (from: number) => AsyncIterable<M>,
  handledUpTo: number,
): AsyncGenerator<M, void, undefined> {
  let last = handledUpTo;
  /** The messages after `last`, and before a position. */
  async function* missing(before = Infinity): AsyncGenerator<M, void, undefined> {
    for await (const message of read(last + 1)) {
      if (message.sequence >= before) return;
      yield message;
      last = message.sequence;
    }
  }
  for await (const delivery of deliveries) {
    if (delivery === CATCH_UP) {
      yield* missing();
      continue;
    }
    const { message, follows } = delivery;
    // It has been read before it was delivered; or the stream has lost its end, which shows when it is read.
    if (message.sequence <= last) yield* missing();
    else {
      if (!follows(last)) yield* missing(message.sequence);
      yield message;
      last = message.sequence;
    }
  }
}
