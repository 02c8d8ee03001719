// The lease is the time that a worker may be silent before others take over its shards. It is
// `FleetConfig.lease` in `fleet-config.ts`, which has its default. The constants here are relative
// to it. NATS drops a worker that is silent for a lease (`nats/nats-registry.ts`), and
// `known-workers.ts` decides who then takes part. What keeps two workers from storing for one
// identity is `fenced` in `nats/publisher.ts`.

/** This many times in a lease, a worker reports that it is alive, and looks which others are. */
export const BEATS_PER_LEASE = 4;

/**
 * A worker gives up its shards if NATS is silent for this many leases. If it did so sooner, all
 * polls would stop whenever NATS restarts. A worker also checks this often whether NATS has lost a
 * stream.
 */
export const PATIENCE_LEASES = 3;

/**
 * This many leases after an outage, all live workers have been heard again. Until then, no worker
 * takes over from one that was killed in the outage. `PATIENCE_LEASES` would be too long for this,
 * because the next outage may come before.
 */
export const REUNION_LEASES = 1.5;
