import { map, of, type Observable } from 'rxjs';
import type { EmulatedRequest } from './emulated-request.js';
import type { EmulatedResponse } from './emulated-response.js';
import type { Fault } from './fault.js';
import type { Handler } from './handler.js';

/** The faults of the way back: the request is carried out, and its answer comes to grief. */
export function deliveryFault(
  { kind }: Fault,
  request: EmulatedRequest,
  handle: Handler,
): Observable<EmulatedResponse> | undefined {
  switch (kind) {
    case 'refuse':
      return of({ status: 0, headers: {}, body: '', delivery: 'reset_before_headers' });
    case 'reset_before_headers':
    case 'reset_in_body':
    case 'close_in_body':
    case 'stall_before_headers':
    case 'stall_in_body':
      return handle(request).pipe(map(response => ({ ...response, delivery: kind })));
    case 'truncated_json':
      return handle(request).pipe(
        map(response => ({ ...response, body: response.body.slice(0, Math.ceil(response.body.length / 2)) })),
      );
    default:
      return undefined;
  }
}
