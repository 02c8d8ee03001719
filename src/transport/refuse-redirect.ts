import { TransportError } from '../protocol/index.js';
import type { FetchLikeResponse } from './fetch-like.js';
import { summaryOf } from './summary-of.js';
import type { TransportRequest } from './transport.js';

/** Throws where the answer is a redirect, or where a fetch followed one although it was asked not to. */
export function refuseRedirect(response: FetchLikeResponse, request: TransportRequest): void {
  const { status, type, redirected } = response;
  const isRedirect = status >= 300 && status < 400 && status !== 304;
  if (isRedirect || type === 'opaqueredirect' || redirected === true) {
    throw new TransportError(
      'redirected',
      'the answer was a redirect, which is not followed',
      summaryOf(request),
    );
  }
}
