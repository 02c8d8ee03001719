import { concatMap, defer, NEVER, of, throwError, timer, type Observable, type SchedulerLike } from 'rxjs';
import { TransportError } from '../../error/index.js';
import {
  MAX_BODY,
  isRedirectStatus,
  redirected,
  summaryOf,
  tooLarge,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../../transport/index.js';
import type { EmulatedResponse, Handler } from './service/index.js';

/** How long a body may stall, in ms. The value is the default of `fromFetch`. */
const BODY_TIMEOUT_MS = 15_000;

/** A transport for clients in this process. Faults have the same effect as over HTTP. */
export function inProcessTransport(handle: Handler, scheduler: SchedulerLike): Transport {
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

  /** Reports that the body has begun to arrive, then continues with `rest$`. */
  const arrived = (rest$: typeof lost$) =>
    defer(() => {
      request.onArrival?.(status);
      return rest$;
    });

  switch (delivery) {
    case 'dead_pool':
    case 'stall_before_headers':
      return NEVER;
    case 'stall_in_body':
      return arrived(timer(BODY_TIMEOUT_MS, scheduler).pipe(concatMap(() => lost$)));
    case 'reset_before_headers':
      return lost$;
    case 'reset_in_body':
    case 'close_in_body':
      return arrived(lost$);
    case 'whole':
      if (body.length > (request.maxBody ?? MAX_BODY)) return throwError(() => tooLarge(request));
      if (isRedirectStatus(status)) return throwError(() => redirected(request));
      return of({ status, headers: { get: name => headers[name.toLowerCase()] ?? null }, text: body });
  }
}
