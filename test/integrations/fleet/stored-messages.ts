import type { MessageFrom, StoredAt, StreamState } from '../../../src/integrations/fleet/nats/last-kept.js';

/** A stream, as its readers see it. */
export interface StoredMessages {
  readonly state: StreamState;
  readonly messageFrom: MessageFrom;
}

/** A stream that has these messages, in order. */
export function storedMessages(messages: readonly StoredAt[]): StoredMessages {
  const last = messages.at(-1) ?? { sequence: 0, at: 0 };
  const first = messages[0]?.sequence ?? 0;
  return {
    state: { first, last: last.sequence, lastAt: last.at },
    messageFrom: from => Promise.resolve(messages.find(({ sequence }) => sequence >= from)),
  };
}
