import { catchError, map, of, switchMap, throwError, type Observable } from 'rxjs';
import { redact, redactBody } from '../error/index.js';
import { explainFailure } from './explain-failure.js';
import { tokenSource, type IssuedToken, type Token, type TokenSourceConfig } from './token-source.js';
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
 * answer. If the function throws, returns no valid token, or takes longer than `deadline` ms (15,000 by default), the
 * request ends with a `TransportError` whose reason is `not_sent`. Its `cause` tells what the function threw, without what may
 * be a token. The function must not send requests through the same client, since these would wait for the token.
 *
 * The token is sent only in the header. If an error answer quotes the token or a string of the request's body, that is
 * redacted.
 *
 * Throws an `InputError` if the token or the config is invalid.
 *
 * @example
 * const transport = withToken(fromFetch(), () => session.token);
 */
export function withToken(transport: Transport, token: Token, config?: TokenSourceConfig): Transport {
  const { issue, renew } = tokenSource(token, config);

  const send = (
    request: TransportRequest,
    ...issued: readonly IssuedToken[]
  ): Observable<TransportResponse> => {
    // Rejected tokens are redacted, too: they may still be valid elsewhere.
    const values = issued.map(({ value }) => value);
    const authorized = {
      ...request,
      headers: { ...request.headers, authorization: `Bearer ${values.at(-1)}` },
    };
    return transport(authorized).pipe(
      map(response =>
        response.status >= 200 && response.status < 300
          ? response
          : redactResponse(response, [...values, ...secretsOf(request)]),
      ),
      catchError((error: unknown) => throwError(() => explainFailure(error, authorized))),
    );
  };

  return request => {
    // A 401 that is followed by another request is not yet the answer.
    const onArrival = (status: number) => {
      if (status !== 401 || !renew) request.onArrival?.(status);
    };
    return issue(summaryOf(request)).pipe(
      switchMap(first =>
        send({ ...request, onArrival }, first).pipe(
          switchMap(response =>
            response.status === 401 && renew
              ? renew(first, summaryOf(request)).pipe(switchMap(second => send(request, first, second)))
              : of(response),
          ),
        ),
      ),
    );
  };
}

/** Redacts an error answer, which may quote the request in its body or in a header that ends up in an error. */
function redactResponse(
  { status, headers, text }: TransportResponse,
  secrets: readonly string[],
): TransportResponse {
  const get = (name: string) => {
    const value = headers.get(name);
    return value === null ? null : redact(value, secrets);
  };
  return { status, headers: { get }, text: redactBody(text, secrets) };
}
