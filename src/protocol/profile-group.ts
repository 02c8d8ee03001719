import type * as t from 'io-ts';
import { GroupHandle } from './group-handle.js';
import { struct } from './struct.js';

/** A group on a profile (interface document, 2.5). */
export const ProfileGroup = struct({ group: GroupHandle });
export type ProfileGroup = t.TypeOf<typeof ProfileGroup>;
