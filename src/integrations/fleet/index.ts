/**
 * Many identities on many machines, on NATS JetStream.
 *
 * @module lobby-rx/fleet
 */

export { fleetBatches, type FleetBatch, type FleetBatchesConfig } from './fleet-batches.js';
export { FleetError, isFleetError } from './fleet-error.js';
export type { FleetEvent, Heartbeat } from './fleet-event.js';
export { fleetFeed, type FleetFeedConfig } from './fleet-feed.js';
export type { FleetConfig } from './fleet-settings.js';
export type { Nats } from './nats/index.js';
export { runFleet } from './run-fleet.js';
export { shardOf } from './worker/index.js';
