import type * as t from 'io-ts';
import { Profile } from './profile.js';
import { struct } from './struct.js';

/** The payload of an `identity_update` event: a profile changed or is delivered (interface document, 6). */
export const IdentityUpdate = struct({ identity: Profile });
export type IdentityUpdate = t.TypeOf<typeof IdentityUpdate>;
