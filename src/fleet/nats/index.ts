export { whenClosed } from './connection-status.js';
export { DurablePlace } from './durable-place.js';
export { fleetName, identityId, storedSubjects, workerName } from './fleet-names.js';
export {
  openFleetToFollow,
  openFleetToRead,
  openFleetToWork,
  type OpenFleet,
  type WorkingFleet,
} from './open-fleet.js';
export { liveMessages } from './live-messages.js';
export { NatsClock } from './nats-clock.js';
export { NatsLog } from './nats-log.js';
export { mayPass, natsProblem } from './nats-problem.js';
export { natsRoster } from './nats-roster.js';
export { orderedMessages, type OrderedMessage } from './ordered-messages.js';
export { lastRecordOf, ownMessages } from './own-messages.js';
export { storedMessage, streamState } from './stored-message.js';
export { storedRecord, type FleetMessage, type StoredRecord } from './stored-record.js';
