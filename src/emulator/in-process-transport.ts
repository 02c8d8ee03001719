import { concatMap, NEVER, of, throwError, timer, type Observable, type SchedulerLike } from 'rxjs';
import { TransportError, type TransportFailure } from '../error/index.js';
import {
  MAX_BODY,
  summaryOf,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../transport/index.js';
import type { EmulatedResponse, Handler } from './service/index.js';

/** The default of `fromFetch`: how long a body may stall, in ms. */
const BODY_DEADLINE = 15_000;

/** A transport for clients in this process. Faults have the same effect as over HTTP. */
export function inProcessTransport(handle: Handler, scheduler: SchedulerLike): Transport {
  return request => handle(request).pipe(concatMap(response => deliver(request, response, scheduler)));
}

function deliver(
  request: TransportRequest,
  { status, headers, body, delivery = 'whole' }: EmulatedResponse,
  scheduler: SchedulerLike,
): Observable<TransportResponse> {
  const fail = (reason: TransportFailure, message: string) =>
    throwError(() => new TransportError(reason, message, summaryOf(request)));
  const lost$ = fail('lost', 'the connection was lost: ECONNRESET');

  switch (delivery) {
    case 'dead_pool':
    case 'stall_before_headers':
      return NEVER;
    case 'stall_in_body':
      return timer(BODY_DEADLINE, scheduler).pipe(concatMap(() => lost$));
    case 'reset_before_headers':
    case 'reset_in_body':
    case 'close_in_body':
      return lost$;
    case 'whole':
      if (body.length > (request.maxBody ?? MAX_BODY))
        return fail('too_large', 'the answer is larger than maxBody');
      if (status >= 300 && status < 400 && status !== 304)
        return fail('redirected', 'the answer was a redirect');
      return of({ status, headers: { get: name => headers[name.toLowerCase()] ?? null }, text: body });
  }
}
