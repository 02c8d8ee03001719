import { defer, tap } from 'rxjs';
import { ServiceProof, type Transport, type TransportResponse } from '../../../transport/index.js';

/** An answer, who gave it, and how long it took, in ms. */
export interface ObservedAnswer extends TransportResponse {
  readonly took: number;
}

/** A transport, and the last answer that it received. The headers of the answer show proxies. */
export interface ObservedTransport {
  readonly transport: Transport;
  readonly lastAnswer: () => ObservedAnswer | undefined;
}

/**
 * Remembers the last answer of a transport. A request without an index uses a new connection, so
 * that a balancer may give it to another machine.
 */
export function observedTransport(
  transport: Transport,
  proof = new ServiceProof(),
  now = () => performance.now(),
): ObservedTransport {
  let last: ObservedAnswer | undefined;
  return {
    transport: request =>
      defer(() => {
        const sentAt = now();
        const isFirst = !request.url.includes('watch_index=');
        return transport(isFirst ? { ...request, needsFreshConnection: true } : request).pipe(
          tap(({ status, headers, text }) => {
            const took = now() - sentAt;
            const answer = { status, headers, text };
            last = { ...answer, took, isFromService: proof.judge(request, answer, took) };
          }),
        );
      }),
    lastAnswer: () => last,
  };
}
