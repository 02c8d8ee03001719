import type * as t from 'io-ts';
import { LinkedAccessToken } from './linked-access-token.js';
import { LinkedEmail } from './linked-email.js';
import { struct } from './struct.js';

/** One way in which an identity is registered (interface document, 2.5). */
export const LinkedAccount = struct({}, { access_token: LinkedAccessToken, email: LinkedEmail });
export type LinkedAccount = t.TypeOf<typeof LinkedAccount>;
