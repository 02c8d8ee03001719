import { isInputError } from './is-input-error.js';
import { isStatusError } from './is-status-error.js';
import { isTransportError } from './is-transport-error.js';
import type { Verdict } from './verdict.js';

/** Nothing new: said by the service, or by a proxy that cuts a poll which blocks for longer than it waits. */
const IDLE = [204, 304, 504, 524];
const REFUSED = [400, 404, 410];
const END = [401, 403];

/** What a failed poll means for its watch; an error that is not of this library's is worth another try. */
export function judge(error: unknown): Verdict {
  if (isInputError(error)) return { kind: 'end' };
  if (isTransportError(error)) return { kind: 'retry', offline: error.reason === 'unreachable' };
  if (!isStatusError(error)) return { kind: 'retry' };

  const { status, code, retryAfter } = error;
  // The API's own limit on a request is shorter than a block of the older servers: nothing is wrong.
  const isIdle = IDLE.includes(status) || code === 'API_REQUEST_TIMEOUT';
  if (isIdle && retryAfter === undefined) return { kind: 'idle' };
  if (REFUSED.includes(status)) return { kind: 'refused' };
  // A 401 comes here only after the token has been renewed once, or cannot be.
  if (END.includes(status)) return { kind: 'end' };
  return { kind: 'retry', after: retryAfter, suspect: status >= 500 };
}
