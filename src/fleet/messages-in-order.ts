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
  /** Called once it has been handled. */
  readonly done?: () => void;
}

/** Messages up to a position that will not be delivered, or not soon. */
export interface CatchUp {
  readonly upTo: number;
}

/**
 * Yields each message once and in order, whatever is delivered. What was handled is left out; what is missing is read from the
 * stream by `next`, which returns the first message at or after a position. A message has been handled when the next one is asked
 * for.
 */
export async function* messagesInOrder<M extends StreamMessage>(
  deliveries: AsyncIterable<Delivery<M> | CatchUp>,
  next: (from: number) => Promise<M | undefined>,
  handledUpTo: number,
): AsyncGenerator<M, void, undefined> {
  let last = handledUpTo;
  /** The messages after `last`, and before a position. */
  async function* missing(before: number): AsyncGenerator<M, void, undefined> {
    for (;;) {
      const message = await next(last + 1);
      if (!message || message.sequence >= before) return;
      yield message;
      last = message.sequence;
    }
  }
  for await (const delivery of deliveries) {
    if ('upTo' in delivery) {
      yield* missing(delivery.upTo + 1);
      continue;
    }
    const { message, follows, done } = delivery;
    if (message.sequence > last) {
      if (!follows(last)) yield* missing(message.sequence);
      yield message;
      last = message.sequence;
    }
    done?.();
  }
}
