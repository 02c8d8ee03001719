export { fleetName, MAX_CAPACITY, storedSubject, storedSubjects, workerName } from './fleet-names.js';
export { hasLost, identityMessages, lastRecordOf } from './identity-messages.js';
export { connectionStatus, natsConnection, whenClosed, type Nats } from './nats-connection.js';
export { NatsLog } from './nats-log.js';
export { natsProblem, retryWhileStarting } from './nats-problem.js';
export { NatsRegistry } from './nats-registry.js';
export { NatsTime } from './nats-time.js';
export {
  changeFleet,
  openFleetToFollow,
  openFleetToRead,
  openFleetToWork,
  openPositions,
  type OpenFleet,
  type WorkingFleet,
} from './open-fleet.js';
export { fenced } from './publisher.js';
export { isNewerVersion, storedRecord, type FleetMessage, type StoredRecord } from './stored-record.js';
export {
  orderedMessages,
  storedMessage,
  streamState,
  type OrderedMessage,
  type StreamState,
} from './stream-messages.js';
