import { map, Observable } from 'rxjs';
import { TransportError } from '../error/index.js';
import type { Polled } from '../stream/index.js';
import { summaryOf, type Transport } from '../transport/index.js';
import { composeRequest, type BaseUrls, type RequestOptions } from './compose-request.js';
import type { Endpoint } from './endpoint.js';
import { readAnswer } from './read-answer.js';

/** Everything that is needed to send requests. */
export interface RequestContext {
  readonly transport: Transport;
  readonly baseUrls: BaseUrls;
  /** The current time, in ms since 1970. `Retry-After` may be a date, in an answer without a `Date`. */
  readonly now: () => number;
}

/**
 * Sends one request to an endpoint. Cold: emits one answer and completes. Unsubscribing aborts.
 *
 * Errors: `InputError` before anything is sent, `TransportError`, `StatusError`, `DecodeError`.
 */
export function request<Input, Answer>(
  context: RequestContext,
  endpoint: Endpoint<Input, Answer>,
  input: Input,
  options?: RequestOptions,
): Observable<Answer> {
  return requestText(context, endpoint, input, options).pipe(map(({ answer }) => answer));
}

/** Like {@link request}, but emits the answer with the text that it was decoded from. */
export function requestText<Input, Answer>(
  { transport, baseUrls, now }: RequestContext,
  endpoint: Endpoint<Input, Answer>,
  input: Input,
  options?: RequestOptions,
): Observable<Polled<Answer>> {
  return new Observable(subscriber => {
    const outgoing = composeRequest(endpoint, input, baseUrls, options);
    const summary = summaryOf(outgoing);
    const answered = transport(outgoing).subscribe({
      next: response => {
        try {
          subscriber.next({ answer: readAnswer(endpoint, summary, response, now), text: response.text });
          subscriber.complete();
        } catch (error) {
          subscriber.error(error);
        }
      },
      error: (error: unknown) => subscriber.error(error),
      complete: () =>
        subscriber.error(new TransportError('lost', 'the transport completed without an answer', summary)),
    });
    subscriber.add(answered);
  });
}
