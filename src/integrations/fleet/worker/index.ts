export { shardOf } from './assign-shards.js';
export type { Appended, FleetHead, FleetLog, FleetRecord, LastRecord } from './fleet-log.js';
export {
  type FleetRegistry,
  type BareCheckpoint,
  type BareCheckpoints,
  type Presence,
  type Present,
} from './fleet-registry.js';
export { fleetWorker } from './fleet-worker.js';
export { BEATS_PER_LEASE, PATIENCE_LEASES } from './lease.js';
export { identitiesByShard, identityId, listedIdentities } from './identities.js';
export { IdentityPolls } from './identity/index.js';
