export type { FleetBatch } from './batch-reader.js';
export { consumerLags, deliveries, type ConsumerLag, type Delivery } from './consumer-lags.js';
export type { FleetConsumerLogEntry } from './consumer-log.js';
export { fleetBatches, type FleetBatchesConfig } from './fleet-batches.js';
export { fleetFeed, type FleetFeedConfig } from './fleet-feed.js';
export type { FleetPosition } from './handled-records.js';
