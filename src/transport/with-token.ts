import { asyncScheduler, Observable, take, type SchedulerLike } from 'rxjs';
import { checkArgument, redact, redactBody, schedulerLike } from '../error/index.js';
import { explainFailure } from './explain-failure.js';
import { tokenSource, type IssuedToken, type Token } from './token-source.js';
import {
  secretsOf,
  summaryOf,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.js';

/**
 * Adds a bearer token to each request of a {@link Transport} (interface document, 5).
 *
 * If `token` is a function, it is called for each request. After a 401 it is called once more, with `'rejected'`. All
 * requests that are waiting at that moment share the new token and are sent once more. A second 401 is emitted as the
 * answer. If the function throws, returns no valid token, or takes longer than 15 s, the
 * request ends with a `TransportError` whose reason is `not_sent`. Its `cause` tells what the function threw, without what may
 * be a token. The function must not send requests through the same client, since these would wait for the token.
 *
 * The token is sent only in the header. If an error answer quotes the token or a string of the request's body, that is
 * redacted.
 *
 * Throws an `InputError` if the token or the scheduler is invalid.
 *
 * @example
 * const transport = withToken(fromFetch(), () => session.token);
 */
export function withToken(
  transport: Transport,
  token: Token,
  scheduler: SchedulerLike = asyncScheduler,
): Transport {
  checkArgument('scheduler', schedulerLike, scheduler);
  const { issue, renew } = tokenSource(token, scheduler);

  return request =>
    new Observable(subscriber => {
      const send = (token: IssuedToken, rejected?: IssuedToken) => {
        const mayRenew = renew !== undefined && rejected === undefined;
        let isRejected = false;
        const authorized: TransportRequest = {
          ...request,
          headers: token.value
            ? Object.assign({}, request.headers, { authorization: `Bearer ${token.value}` })
            : request.headers,
          onArrival: status => {
            // A 401 that is followed by another request is not yet the answer.
            if (status !== 401 || !mayRenew) request.onArrival?.(status);
          },
        };
        const fail = (error: unknown) => subscriber.error(explainFailure(error, authorized));
        const receive = (response: TransportResponse) => {
          isRejected = response.status === 401 && mayRenew;
          if (isRejected) follow(renew!(token, summaryOf(request)), renewed => send(renewed, token));
          // Rejected tokens are redacted, too: they may still be valid elsewhere.
          else subscriber.next(withoutSecrets(response, request, [token, rejected]));
        };
        // A transport of the caller's may throw, answer twice, or answer with something else. RxJS would report what is thrown
        // here as uncaught, and the request would never end.
        try {
          const sent = transport(authorized)
            .pipe(take(1))
            .subscribe({
              next: response => {
                try {
                  receive(response);
                } catch (error) {
                  fail(error);
                }
              },
              error: fail,
              complete: () => {
                if (!isRejected) subscriber.complete();
              },
            });
          subscriber.add(sent);
        } catch (error) {
          fail(error);
        }
      };
      const follow = (issued$: Observable<IssuedToken>, next: (token: IssuedToken) => void) =>
        subscriber.add(
          issued$.subscribe({
            // The provider may have ended the request.
            next: token => subscriber.closed || next(token),
            error: (error: unknown) => subscriber.error(error),
          }),
        );
      follow(issue(summaryOf(request)), token => send(token));
    });
}

/** Redacts an error answer, which may quote the request in its body or in a header that ends up in an error. */
function withoutSecrets(
  response: TransportResponse,
  request: TransportRequest,
  tokens: readonly (IssuedToken | undefined)[],
): TransportResponse {
  const { status, headers, text } = response;
  if (status >= 200 && status < 300) return response;
  const secrets = [...tokens.flatMap(token => (token?.value ? [token.value] : [])), ...secretsOf(request)];
  const get = (name: string) => {
    const value = headers.get(name);
    return value === null ? null : redact(value, secrets);
  };
  return { status, headers: { get }, text: redactBody(text, secrets) };
}
