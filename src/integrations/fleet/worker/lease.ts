/** A worker says that it is alive this many times in a lease, and looks who else is. */
export const BEATS_PER_LEASE = 4;

/**
 * NATS may be silent for this many leases. Then a worker gives up its shards: sooner would stop all
 * polls whenever NATS restarts. As often, a worker looks whether NATS has lost something.
 */
export const PATIENCE_LEASES = 3;

/**
 * This many leases after an outage, all workers that are alive have been heard again. The patience
 * with NATS would be too long: nobody takes over from a worker that was killed in an outage until
 * then, and the next outage may come before.
 */
export const REUNION_LEASES = 1.5;
