/** A worker says that it is alive this many times in a lease, and looks who else is. */
export const BEATS_PER_LEASE = 4;

/**
 * Something that is late gets this many leases. A worker without an answer from NATS gives up its
 * shards after them: sooner would stop all polls whenever NATS restarts. A worker that has not been
 * heard since an outage is taken for silent after them. After as many, a worker looks whether NATS
 * has lost something.
 */
export const PATIENCE_LEASES = 3;
