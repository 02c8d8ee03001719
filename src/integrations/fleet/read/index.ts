export type { FleetConsumerLogEntry } from './consumer-log.js';
export { fleetBatches, type FleetBatch, type FleetBatchesConfig } from './fleet-batches.js';
export { fleetFeed, type FleetFeedConfig } from './fleet-feed.js';
