/**
 * Many identities on many machines, on NATS JetStream.
 *
 * @module lobby-rx/fleet
 */

export { FleetError, isFleetError } from './fleet-error.js';
export type { FleetEvent, Heartbeat } from './fleet-event.js';
export type { FleetConfig } from './fleet-config.js';
export type { Nats } from './nats/index.js';
export {
  fleetBatches,
  fleetFeed,
  type FleetBatch,
  type FleetBatchesConfig,
  type FleetConsumerLogEntry,
  type FleetFeedConfig,
  type FleetPosition,
} from './read/index.js';
export { runFleet } from './run-fleet.js';
export { setReplicas, type SetReplicasConfig } from './set-replicas.js';
export { setShards, type SetShardsConfig } from './set-shards.js';
export { shardOf } from './worker/index.js';
