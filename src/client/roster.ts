import type { GroupMember } from '../protocol/index.js';

/** A whole group at one moment, and what is different from the moment before. */
export interface Roster {
  /** Everyone, by identity_id. A member who has not changed is the same object as before. */
  readonly members: ReadonlyMap<string, GroupMember>;
  /** Who is new; at first, everyone. */
  readonly joined: readonly GroupMember[];
  /** Who is gone, as last seen. */
  readonly left: readonly GroupMember[];
  /** Whose handle or presence is different. */
  readonly updated: readonly GroupMember[];
}
