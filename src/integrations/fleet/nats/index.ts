export { changeReplicas } from './change-replicas.js';
export {
  fleetName,
  fleetStreams,
  MAX_CAPACITY,
  storedSubject,
  storedSubjects,
  workerName,
} from './fleet-names.js';
export { BEGINNING, lastKept, type StoredAt, type StreamState } from './last-kept.js';
export { connectionStatus, natsConnection, supervised, type Nats } from './nats-connection.js';
export { natsProblem, retryWhileStarting } from './nats-problem.js';
export { NatsRegistry } from './nats-registry.js';
export { NatsTime } from './nats-time.js';
export {
  changeFleet,
  explained,
  openFleetToFollow,
  openFleetToRead,
  openFleetToWork,
  openPositions,
  reach,
  type OpenFleet,
  type WorkingFleet,
} from './open-fleet.js';
export { fenced } from './publisher.js';
export {
  hasLost,
  identityMessages,
  isNewerVersion,
  lastRecordOf,
  LostRecords,
  NatsLog,
  orderedMessages,
  storedRecord,
  type FleetMessage,
  type KnownRecord,
  type OrderedMessage,
  type StoredRecord,
} from './records/index.js';
export { messageFrom, storedMessage, streamState } from './stored-message.js';
export {
  liveWorkers,
  orderDrain,
  streamOf,
  type FleetStream,
  type LiveWorker,
  type StreamCopy,
} from './status/index.js';
