import type { Notification } from '../../../protocol/index.js';
import { findRecord, type IdentityRecord, type LoggedEvent } from './records.js';
import type { World } from './world.js';

/**
 * Old events are dropped in batches of this size, because it would be slow to trim the log at every
 * event.
 */
const TRIM_SIZE = 256;

export function publish(
  world: World,
  identity_id: string,
  kind: object,
  notification?: Notification,
): string {
  const identity = findRecord(world.identities, 'identity_id', identity_id);
  const stamp = world.tick();
  const ts = new Date(stamp).toISOString();
  dropOldEvents(identity, world.now() - world.retention);
  identity.log.push({ stamp, event: { kind, ts, ...(notification && { notification }) } });
  world.changes.announce(identity_id);
  return ts;
}

/**
 * Frees the memory of events that are older than the retention. Some may stay for a while, but no
 * client gets them: `service/events-answer.ts` decides what a client gets.
 */
function dropOldEvents(identity: IdentityRecord, oldest: number): void {
  const kept = identity.log.findIndex(({ stamp }) => stamp >= oldest);
  if (kept === -1) identity.log = [];
  else if (kept > TRIM_SIZE) identity.log = identity.log.slice(kept);
}

/** The events of an identity that a watch with this index has not seen yet, in order. */
export function eventsSince(world: World, identity_id: string, index: number): readonly LoggedEvent[] {
  const { log } = findRecord(world.identities, 'identity_id', identity_id);
  // The log is sorted by `stamp`. A binary search is fast, and every poll needs it.
  let low = 0;
  let high = log.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (log[middle]!.stamp < index) low = middle + 1;
    else high = middle;
  }
  return log.slice(low);
}
