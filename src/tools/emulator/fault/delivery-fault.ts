import { map, of, type Observable } from 'rxjs';
import type { FaultFields } from './fault-fields.js';
import type { ResponseDelivery, EmulatedRequest, EmulatedResponse, Handler } from '../service/index.js';

/**
 * The request is carried out, except with `reset_before_request` and `dead_pool`, but its answer
 * does not arrive intact:
 * - `reset_before_request`: the connection is reset, and the request was not carried out.
 * - `dead_pool`: the request was not carried out. Over HTTP, all connections that are open at this
 *   moment are dead from now on. They stay open, but no request on them is answered, not even one
 *   that is already pending. New connections work.
 * - `reset_before_headers`, `reset_in_body`, `close_in_body`: the connection breaks at this point.
 * - `stall_before_headers`, `stall_in_body`: no more bytes arrive, and the connection stays open.
 * - `truncated_json`: only half of the body arrives, and it looks complete.
 *
 * A new way of breaking needs a `ResponseDelivery` in `service/handler.ts`, an effect in
 * `listen.ts` (HTTP) and in `in-process-transport.ts`, and a row in docs/testing.md.
 */
export interface DeliveryFault {
  readonly kind: 'reset_before_request' | 'truncated_json' | Exclude<ResponseDelivery, 'whole'>;
}

export const deliveryFaultFields: FaultFields<DeliveryFault> = {
  reset_before_request: {},
  dead_pool: {},
  reset_before_headers: {},
  reset_in_body: {},
  close_in_body: {},
  stall_before_headers: {},
  stall_in_body: {},
  truncated_json: {},
};

export function deliveryFault(
  { kind }: DeliveryFault,
  request: EmulatedRequest,
  handle: Handler,
): Observable<EmulatedResponse> {
  switch (kind) {
    case 'reset_before_request':
      return of({ status: 0, headers: {}, body: '', delivery: 'reset_before_headers' });
    case 'dead_pool':
      return of({ status: 0, headers: {}, body: '', delivery: kind });
    case 'truncated_json':
      return handle(request).pipe(
        map(response => ({ ...response, body: response.body.slice(0, Math.ceil(response.body.length / 2)) })),
      );
    default:
      return handle(request).pipe(map(response => ({ ...response, delivery: kind })));
  }
}
