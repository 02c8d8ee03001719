import {
  decodedEvents,
  identityEventList,
  type EventCodecs,
  type IdentityEventList,
  type PayloadsOf,
} from '../protocol/index.js';
import type { StoredRecord } from './nats/index.js';

/** Decodes the events of records. */
export function storedEvents<Codecs extends EventCodecs>(
  events: Codecs,
): (record: StoredRecord) => IdentityEventList<PayloadsOf<Codecs>> {
  const codec = identityEventList(events);
  return ({ answer }) => decodedEvents(codec, answer);
}
