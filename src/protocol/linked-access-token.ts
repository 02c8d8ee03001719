import * as t from 'io-ts';
import { struct } from './struct.js';

/** An access token linked to an account, by its name (interface document, 2.5). */
export const LinkedAccessToken = struct({ name: t.string });
export type LinkedAccessToken = t.TypeOf<typeof LinkedAccessToken>;
