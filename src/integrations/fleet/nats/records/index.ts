export {
  hasLost,
  identityMessages,
  lastRecordOf,
  LostRecords,
  type KnownRecord,
} from './identity-messages.js';
export { NatsLog } from './nats-log.js';
export { orderedMessages, type OrderedMessage } from './ordered-messages.js';
export { isNewerVersion, storedRecord, type FleetMessage, type StoredRecord } from './stored-record.js';
