import * as t from 'io-ts';
import { struct } from './struct.js';

/** An e-mail address linked to an account (interface document, 2.5); whether it is a valid one is not checked here. */
export const LinkedEmail = struct({ email: t.string });
export type LinkedEmail = t.TypeOf<typeof LinkedEmail>;
