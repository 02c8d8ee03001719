export type { Appended, FleetHead, FleetLog, FleetRecord, LastRecord } from './fleet-log.js';
export type { Claim, FleetRoster, IdlePlace, IdlePlaces, RosterEntry } from './fleet-roster.js';
export { fleetWorker } from './fleet-worker.js';
export { IdentityPolls } from './identity-polls.js';
export { shardOf } from './assign-shards.js';
