import * as t from 'io-ts';
import { IdentityExternal } from './identity-external.js';
import { Presence } from './presence.js';
import { integer } from './integer.js';
import { struct } from './struct.js';

/** An identity in short, as group members are listed (seen in deployed servers; the interface document shows no fields). */
export const IdentityHandle = struct(
  {
    identity_id: t.string,
    display_name: t.string,
    account_number: integer,
    avatar_url: t.string,
    is_registered: t.boolean,
    external: IdentityExternal,
  },
  { presence: Presence },
);
export type IdentityHandle = t.TypeOf<typeof IdentityHandle>;
