import * as t from 'io-ts';
import { struct } from './struct.js';

/** Links of a group (interface document, 2.6); `profile` is its profile page. */
export const GroupExternal = struct({ profile: t.string });
export type GroupExternal = t.TypeOf<typeof GroupExternal>;
