import { asyncScheduler, Observable, take, type SchedulerLike, type Subscriber } from 'rxjs';
import {
  checkArgument,
  isFromService,
  redact,
  redactBody,
  schedulerLike,
  TransportError,
  UnauthorizedError,
} from '../error/index.js';
import { detailsOf } from '../protocol/index.js';
import { explainFailure } from './explain-failure.js';
import { tokenSource, type Token } from './token-source.js';
import {
  secretsOf,
  summaryOf,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.js';

/** A request is sent so often at most: with its token, with another that has replaced it, with one that was renewed for it. */
const MAX_SENDS = 3;

/** A 401 that takes so long, in ms, is that of a poll whose token expired while the service held it, and does not count. */
const HELD_AFTER = 2_000;

/** How many rejected tokens are remembered. A provider that still gives one gives one of the last. */
const REMEMBERED = 20;

/**
 * Adds a bearer token to the header of each request of a {@link Transport} (docs/the-service.md, 5). After a 401 it asks `get` again: if
 * that gives another token, the request is sent with it; if it gives the same one, with what `renew` gives. What the service has rejected
 * is never sent again, if there is a `renew`. A request is sent three times at most; a 401 of a poll after 2 s or more does not count.
 *
 * Errors, besides those of the transport: an `UnauthorizedError` if `get` gives `null`, or only what was rejected; a `TransportError`
 * whose reason is `not_sent` if `get` or `renew` throws, gives no valid token, or takes longer than 15 s. A last 401 is emitted as the
 * answer, with `isSignedOut` if `renew` gave `null`. Where an error answer quotes the token or a string of the body, that is redacted.
 *
 * Throws an `InputError` if the token or the scheduler is invalid.
 *
 * @example
 * const transport = withToken(fromFetch(), { get: () => session.token, renew: () => session.renew() });
 */
export function withToken(
  transport: Transport,
  token: Token,
  scheduler: SchedulerLike = asyncScheduler,
): Transport {
  checkArgument('scheduler', schedulerLike, scheduler);
  const { current$, renewed$ } = tokenSource(token, scheduler);
  /** What the service has rejected, of any request. */
  const rejected = new Set<string>();
  // One Observable for all of it: operators would cost each request more than the rest of this file.
  return request =>
    new Observable(subscriber => {
      const used: string[] = [];
      let sendsLeft = MAX_SENDS;
      let mayRenew = true;
      let refusal: TransportResponse | undefined;

      const answer = (response: TransportResponse) => {
        subscriber.next(response);
        subscriber.complete();
      };
      /** There is no other token: the last 401 is the answer. */
      const end = (isSignedOut = false) => {
        if (refusal) {
          request.onArrival?.(refusal.status);
          answer(isSignedOut ? { ...refusal, isSignedOut } : refusal);
        } else subscriber.error(new UnauthorizedError(summaryOf(request)));
      };
      const sendWith = (token$: Observable<string | null>, otherwise: () => void) => {
        const next = (token: string | null) => {
          // The provider may have ended the request.
          if (subscriber.closed) return;
          if (token === null) end(true);
          else if (used.includes(token) || rejected.has(token)) otherwise();
          else send(token);
        };
        const error = (failure: unknown) => {
          const { message, cause } = failure as Error;
          subscriber.error(new TransportError('not_sent', message, summaryOf(request), { cause }));
        };
        subscriber.add(token$.subscribe({ next, error }));
      };
      const renew = () => {
        if (renewed$ && mayRenew) {
          mayRenew = false;
          sendWith(renewed$, end);
        } else end();
      };
      const attempt = () => {
        if (sendsLeft > 0) sendWith(current$, renew);
        else end();
      };
      const send = (token: string) => {
        const sentAt = scheduler.now();
        request.onSent?.();
        used.push(token);
        sendsLeft--;
        const receive = (received: TransportResponse) => {
          const response = withoutSecrets(received, request, used);
          if (response.status === 401) {
            refusal = response;
            if (renewed$ && isFromService(detailsOf(response.text, response.headers))) reject(token);
            if (request.kind === 'poll' && scheduler.now() - sentAt >= HELD_AFTER) {
              sendsLeft = MAX_SENDS;
              mayRenew = true;
            }
            attempt();
          } else answer(response);
        };
        sendOnce(transport, withBearer(request, token), subscriber, receive);
      };
      attempt();
    });

  function reject(token: string): void {
    rejected.add(token);
    if (rejected.size > REMEMBERED) rejected.delete(rejected.values().next().value!);
  }
}

/** Sends a request. A transport of the caller's may throw, answer twice, or answer with something else. */
function sendOnce(
  transport: Transport,
  request: TransportRequest,
  subscriber: Subscriber<TransportResponse>,
  receive: (response: TransportResponse) => void,
): void {
  const fail = (error: unknown) => subscriber.error(explainFailure(error, request));
  const safely = (act: () => void) => {
    try {
      act();
    } catch (error) {
      fail(error);
    }
  };
  let isAnswered = false;
  const next = (response: TransportResponse) => {
    isAnswered = true;
    safely(() => receive(response));
  };
  const complete = () => isAnswered || subscriber.complete();
  safely(() => subscriber.add(transport(request).pipe(take(1)).subscribe({ next, error: fail, complete })));
}

function withBearer(request: TransportRequest, token: string): TransportRequest {
  return {
    ...request,
    // Names that a spread adds to would cost each request a hidden class of its own in V8.
    headers: token
      ? Object.assign({}, request.headers, { authorization: `Bearer ${token}` })
      : request.headers,
    // A 401 that is followed by another request is not yet the answer.
    onArrival: status => {
      if (status !== 401) request.onArrival?.(status);
    },
  };
}

/** Redacts an error answer, which may quote the request in its body or in a header that ends up in an error. */
function withoutSecrets(
  response: TransportResponse,
  request: TransportRequest,
  tokens: readonly string[],
): TransportResponse {
  const { status, headers, text } = response;
  if (status >= 200 && status < 300) return response;
  const secrets = [...tokens, ...secretsOf(request)];
  const get = (name: string) => {
    const value = headers.get(name);
    return value === null ? null : redact(value, secrets);
  };
  return { status, headers: { get }, text: redactBody(text, secrets) };
}
