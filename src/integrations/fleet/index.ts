/**
 * Many identities on many machines, on NATS JetStream.
 *
 * @module lobby-rx/fleet
 */

export { FleetError, isFleetError } from './fleet-error.js';
export { drainWorker, type DrainWorkerConfig } from './drain-worker.js';
export type { FailingIdentity, FleetEvent, Heartbeat } from './fleet-event.js';
export {
  fleetStatus,
  type FleetConsumerStatus,
  type FleetStatus,
  type FleetStatusConfig,
  type FleetWorkerStatus,
} from './fleet-status.js';
export type { FleetConfig } from './fleet-config.js';
export type { FleetStream, Nats, StreamCopy } from './nats/index.js';
export {
  fleetBatches,
  fleetFeed,
  type Delivery,
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
