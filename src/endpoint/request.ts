import { defer, map, take, throwIfEmpty, type Observable } from 'rxjs';
import { TransportError } from '../protocol/index.js';
import { summaryOf } from '../transport/index.js';
import { composeRequest } from './compose-request.js';
import type { EndpointAnswer } from './endpoint-answer.js';
import type { EndpointInput } from './endpoint-input.js';
import type { Endpoint } from './endpoint.js';
import { readAnswer } from './read-answer.js';
import type { Wire } from './wire.js';

/**
 * Asks an endpoint once: cold, one answer, then complete; unsubscribing aborts.
 *
 * Errors: `InputError` before anything is sent, `TransportError`, `StatusError`, `DecodeError`.
 */
export function request<E extends Endpoint>(
  wire: Wire,
  endpoint: E,
  input: EndpointInput<E>,
): Observable<EndpointAnswer<E>> {
  return defer(() => {
    const outgoing = composeRequest(endpoint, input, wire.baseUrls);
    return wire.transport(outgoing).pipe(
      take(1),
      throwIfEmpty(
        () => new TransportError('lost', 'the transport completed without an answer', summaryOf(outgoing)),
      ),
      map(response => readAnswer(endpoint, outgoing, response, wire.now()) as EndpointAnswer<E>),
    );
  });
}
