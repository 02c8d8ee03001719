import type { Notification } from '../protocol/index.js';
import { findRecord } from './find-record.js';
import type { World } from './world.js';

/**
 * Sends an event to an identity. `kind` is the wire's own object, its key the event's kind: one of those that the library
 * knows, or any other, or nonsense, since a server may send that too. Returns the event's `ts`.
 */
export const publish =
  (world: World) =>
  (identity_id: string, kind: object, notification?: Notification): string => {
    const identity = findRecord(world.identities, 'identity_id', identity_id);
    const stamp = world.tick();
    const ts = new Date(stamp).toISOString();
    const oldest = world.now() - world.config.retention;
    const fresh = identity.log.findIndex(logged => logged.stamp >= oldest);
    // Cut in large pieces only: a log is written far more often than it grows old.
    if (fresh > 256 || fresh === -1) identity.log = fresh === -1 ? [] : identity.log.slice(fresh);
    identity.log.push({ stamp, event: { kind, ts, ...(notification && { notification }) } });
    world.changed$.next(identity_id);
    return ts;
  };
