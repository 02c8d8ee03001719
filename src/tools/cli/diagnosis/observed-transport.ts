import { tap } from 'rxjs';
import type { Transport, TransportResponse } from '../../../transport/index.js';

/** A transport, and the last answer that it received. The headers of the answer show proxies. */
export interface ObservedTransport {
  readonly transport: Transport;
  readonly lastAnswer: () => TransportResponse | undefined;
}

/**
 * Remembers the last answer of a transport. A request without an index uses a new connection, so
 * that a balancer may give it to another machine.
 */
export function observedTransport(transport: Transport): ObservedTransport {
  let last: TransportResponse | undefined;
  return {
    transport: request => {
      const isFirst = !request.url.includes('watch_index=');
      return transport(isFirst ? { ...request, needsFreshConnection: true } : request).pipe(
        tap(response => {
          last = response;
        }),
      );
    },
    lastAnswer: () => last,
  };
}
