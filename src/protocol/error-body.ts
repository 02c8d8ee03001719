import * as t from 'io-ts';
import type { Codec } from './codec.js';
import { struct } from './struct.js';

/**
 * The body of an error answer, as deployed servers were seen to send it: the interface document shows none. Any field may
 * be absent, and a crashed server sends no body at all.
 */
export interface ErrorBody {
  /** The service's own name for the error, `GROUP_NOT_MEMBER` say. */
  readonly code?: string | null | undefined;
  /** The service's own words. */
  readonly message?: string | null | undefined;
  /** A link to the error's documentation. */
  readonly documentation?: string | null | undefined;
  /** Whatever belongs to the error. Of a rate limit, the moment from which requests are served again, in ms since 1970. */
  readonly metadata?: unknown;
  /** What to quote to whoever runs the service. */
  readonly ray_id?: string | null | undefined;
}

export const ErrorBody: Codec<ErrorBody> = struct(
  'ErrorBody',
  {},
  { code: t.string, message: t.string, documentation: t.string, metadata: t.unknown, ray_id: t.string },
);
