import * as t from 'io-ts';
import { GroupExternal } from './group-external.js';
import { struct } from './struct.js';

/** A group in short (interface document, 2.6). */
export const GroupHandle = struct(
  { group_id: t.string, display_name: t.string, external: GroupExternal },
  { avatar_url: t.string, is_developer: t.boolean },
);
export type GroupHandle = t.TypeOf<typeof GroupHandle>;
