import * as t from 'io-ts';
import { struct } from './struct.js';

/** Links of an identity (interface document, 2.5): its `profile` page and, where shown, the platform `settings`. */
export const IdentityExternal = struct({ profile: t.string }, { settings: t.string });
export type IdentityExternal = t.TypeOf<typeof IdentityExternal>;
