import * as t from 'io-ts';
import { struct } from './struct.js';

/**
 * What a refusal says (seen in deployed servers; the interface document shows none). Any part of it may be missing, and
 * a crashed server says nothing at all.
 */
export const ErrorBody = struct(
  {},
  { code: t.string, message: t.string, documentation: t.string, metadata: t.unknown, ray_id: t.string },
);
export type ErrorBody = t.TypeOf<typeof ErrorBody>;
