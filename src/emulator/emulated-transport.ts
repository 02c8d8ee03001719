import { concatMap, NEVER, of, throwError, timer, type Observable, type SchedulerLike } from 'rxjs';
import { TransportError } from '../error/index.js';
import {
  summaryOf,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../transport/index.js';
import type { EmulatedResponse } from './emulated-response.js';
import type { Handler } from './handler.js';

/** How long the transport over HTTP waits for the rest of a body, in ms: here nothing stalls, and that is told after it. */
const BODY_DEADLINE = 15_000;

/** The most that an answer may have, as over HTTP. */
const MAX_BODY = 8 * 2 ** 20;

/** A handler as a transport for clients in the same process; its answers come to grief as they would on a wire. */
export function emulatedTransport(handle: Handler, scheduler: SchedulerLike): Transport {
  return request => handle(request).pipe(concatMap(response => deliver(request, response, scheduler)));
}

function deliver(
  request: TransportRequest,
  { status, headers, body, delivery = 'whole' }: EmulatedResponse,
  scheduler: SchedulerLike,
): Observable<TransportResponse> {
  const lost$ = throwError(
    () => new TransportError('lost', 'the connection was lost: ECONNRESET', summaryOf(request)),
  );
  switch (delivery) {
    case 'stall_before_headers':
      return NEVER;
    case 'stall_in_body':
      return timer(BODY_DEADLINE, scheduler).pipe(concatMap(() => lost$));
    case 'reset_before_headers':
    case 'reset_in_body':
    case 'close_in_body':
      return lost$;
    case 'whole':
      if (body.length > MAX_BODY)
        return throwError(
          () => new TransportError('too_large', 'the answer is larger than maxBody', summaryOf(request)),
        );
      if (status >= 300 && status < 400) {
        return throwError(
          () => new TransportError('redirected', 'the answer was a redirect', summaryOf(request)),
        );
      }
      return of({ status, headers: { get: name => headers[name.toLowerCase()] ?? null }, text: body });
  }
}
