/** A worker says that it is alive this many times in a lease, and looks who else is. */
export const BEATS_PER_LEASE = 4;

/**
 * Who is late is given this many leases before something is done about it. NATS may take them to
 * restart: a worker that has no answer from it gives up its shards after them. So may the other
 * workers after an outage: one that has not been heard since then is taken for silent after them.
 */
export const PATIENCE_LEASES = 3;
