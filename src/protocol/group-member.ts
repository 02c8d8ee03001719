import type * as t from 'io-ts';
import { IdentityHandle } from './identity-handle.js';
import { struct } from './struct.js';

/** One member of a group (seen in deployed servers; the interface document shows no fields). */
export const GroupMember = struct({ identity: IdentityHandle });
export type GroupMember = t.TypeOf<typeof GroupMember>;
