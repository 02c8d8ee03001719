import { isInputError, isStatusError, isTransportError } from '../protocol/index.js';
import type { Verdict } from '../stream/index.js';

/** Nothing new: said by the service, or by a proxy that cuts a poll which blocks for longer than it waits. */
const IDLE = [204, 304, 504, 524];
const REFUSED = [400, 404, 410];
const END = [401, 403];

/** What a failed poll of this service means for its watch. */
export function judge(error: unknown): Verdict {
  if (isInputError(error)) return { kind: 'end' };
  if (isTransportError(error)) return { kind: 'retry', offline: error.reason === 'unreachable' };
  if (!isStatusError(error)) return { kind: 'retry' };

  const { status, code, retryAfter } = error;
  // The API's own limit on a request is shorter than a block of the older servers: nothing is wrong.
  if (IDLE.includes(status) || code === 'API_REQUEST_TIMEOUT') return { kind: 'idle' };
  if (REFUSED.includes(status)) return { kind: 'refused' };
  // A 401 comes here only after the token has been renewed once, or cannot be.
  if (END.includes(status)) return { kind: 'end' };
  return { kind: 'retry', after: retryAfter, suspect: status >= 500 };
}
