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
 * A {@link Transport} that sends a bearer token with each request (interface document, 5).
 *
 * A provider is called for each request. After a 401 it is called once more, with `'rejected'`. All requests that wait at
 * that moment share the new token, each is sent once more, and a second 401 is the service's answer. If a provider throws,
 * gives nothing usable, or takes longer than `deadline` ms (15,000), the request ends with a `TransportError` whose reason
 * is `not_sent`.
 *
 * The token stays in the header: if an error answer quotes it, or a string of the request's body, it is redacted.
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
    // The rejected token is redacted, too: it may still be valid elsewhere.
    const values = issued.map(({ value }) => value);
    const authorized = {
      ...request,
      headers: { ...request.headers, authorization: `Bearer ${values.at(-1)}` },
    };
    return transport(authorized).pipe(
      map(response =>
        response.status >= 200 && response.status < 300
          ? response
          : redacted(response, [...values, ...secretsOf(request)]),
      ),
      catchError((error: unknown) => throwError(() => explainFailure(error, authorized))),
    );
  };

  return request =>
    issue(summaryOf(request)).pipe(
      switchMap(first =>
        send(request, first).pipe(
          switchMap(response =>
            response.status === 401 && renew
              ? renew(first, summaryOf(request)).pipe(switchMap(second => send(request, first, second)))
              : of(response),
          ),
        ),
      ),
    );
}

/** An error answer may quote what was sent, in its body or in a header that an error shows. */
function redacted(
  { status, headers, text }: TransportResponse,
  secrets: readonly string[],
): TransportResponse {
  const get = (name: string) => {
    const value = headers.get(name);
    return value === null ? null : redact(value, secrets);
  };
  return { status, headers: { get }, text: redactBody(text, secrets) };
}
