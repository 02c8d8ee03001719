import type { StreamMessage } from './messages-in-order.js';

/** How many messages to remember. A server that loses its power loses those of two minutes. */
const REMEMBERED = 4_096;

/** A message, and when it was stored, in ms. No other one has been stored at this position at that time. */
export interface StoredAt extends StreamMessage {
  readonly at: number;
}

/** The last messages that were handled: with them it is found where a stream has lost its end, and was continued with others. */
export class HandledTail {
  readonly #messages: StoredAt[] = [];

  add({ sequence, at }: StoredAt): void {
    this.#messages.push({ sequence, at });
    if (this.#messages.length > 2 * REMEMBERED) this.#messages.splice(0, REMEMBERED);
  }

  /** The position of the last message that is still stored; 0 if none is. The others are forgotten. */
  async lastKept(isStored: (message: StoredAt) => Promise<boolean>): Promise<number> {
    const messages = this.#messages;
    // All before `kept` are stored, and none from `lost` on.
    let [kept, lost] = [0, messages.length];
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
