export { fleetBatches, type FleetBatch, type FleetBatchesConfig } from './fleet-batches.js';
export { FleetError, isFleetError } from './fleet-error.js';
export type { FleetEvent } from './worker/index.js';
export { fleetFeed, type FleetFeedConfig } from './fleet-feed.js';
export type { Heartbeat } from './worker/index.js';
export type { FleetConfig } from './fleet-settings.js';
export type { Nats } from './nats/index.js';
export { runFleet } from './run-fleet.js';
