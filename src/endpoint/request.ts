import { Observable } from 'rxjs';
import { TransportError } from '../error/index.js';
import { summaryOf, type Transport, type TransportRequest } from '../transport/index.js';
import { composeRequest, type BaseUrls } from './compose-request.js';
import type { Endpoint } from './endpoint.js';
import { readAnswer } from './read-answer.js';

/** Everything that is needed to send requests. */
export interface RequestContext {
  readonly transport: Transport;
  readonly baseUrls: BaseUrls;
  /** The current time, in ms since 1970. `Retry-After` may be a date. */
  readonly now: () => number;
}

/** How to send a request; see `TransportRequest`. */
export interface RequestOptions<Answer> extends Pick<
  TransportRequest,
  'kind' | 'maxBody' | 'keepalive' | 'needsFreshConnection' | 'onArrival'
> {
  /** Called with an answer and the text it was decoded from, before the answer is emitted. */
  readonly onAnswer?: ((answer: Answer, text: string) => void) | undefined;
}

/**
 * Sends one request to an endpoint. Cold: emits one answer and completes. Unsubscribing aborts.
 *
 * Errors: `InputError` before anything is sent, `TransportError`, `StatusError`, `DecodeError`.
 */
export function request<Input, Answer>(
  { transport, baseUrls, now }: RequestContext,
  endpoint: Endpoint<Input, Answer>,
  input: Input,
  { onAnswer, ...options }: RequestOptions<Answer> = {},
): Observable<Answer> {
  return new Observable(subscriber => {
    const outgoing = { ...composeRequest(endpoint, input, baseUrls), ...options };
    const summary = summaryOf(outgoing);
    const answered = transport(outgoing).subscribe({
      next: response => {
        try {
          const answer = readAnswer(endpoint, summary, response, now);
          onAnswer?.(answer, response.text);
          subscriber.next(answer);
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
