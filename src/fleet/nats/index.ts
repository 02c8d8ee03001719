export { whenClosed } from './connection-status.js';
export { consumed } from './consumed.js';
export { fleetName, identityId, workerName } from './fleet-names.js';
export { openFleetToRead, openFleetToWork, type OpenFleet, type WorkingFleet } from './open-fleet.js';
export { liveMessages } from './live-messages.js';
export { NatsLog } from './nats-log.js';
export { mayPass, natsProblem } from './nats-problem.js';
export { natsRoster } from './nats-roster.js';
export { RecordReader, type StoredRecord } from './record-reader.js';
