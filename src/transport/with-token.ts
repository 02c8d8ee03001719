import { catchError, map, of, switchMap, throwError, type Observable } from 'rxjs';
import { redact, redactBody } from '../protocol/index.js';
import { explainFailure } from './explain-failure.js';
import { secretsOf } from './secrets-of.js';
import { summaryOf } from './summary-of.js';
import { tokenSource, type IssuedToken, type TokenSourceConfig } from './token-source.js';
import type { Token } from './token.js';
import type { Transport, TransportRequest, TransportResponse } from './transport.js';

/**
 * A {@link Transport} that sends a bearer token with each request (interface document, 5).
 *
 * A provider is asked anew for each request. A 401 asks it once more, with `'rejected'`; all requests that wait at that
 * moment share the answer, each is sent once more, and a second 401 is the service's answer. A provider that throws,
 * gives nothing usable, or takes longer than `deadline` ms (15,000) ends the request with a `TransportError` whose reason
 * is `not_sent`.
 *
 * The token stands in the header and nowhere else: an answer that refuses the request and quotes it comes back without.
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
    // A renewed token does not make the rejected one public: it may still be good elsewhere.
    const values = issued.map(({ value }) => value);
    const authorized = {
      ...request,
      headers: { ...request.headers, authorization: `Bearer ${values.at(-1)}` },
    };
    return transport(authorized).pipe(
      map(response =>
        response.status >= 200 && response.status < 300
          ? response
          : withoutTokens(response, [...values, ...secretsOf(request)]),
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

/** A refusal may quote what was sent, in its body or in a header that an error shows. */
function withoutTokens(
  { status, headers, text }: TransportResponse,
  secrets: readonly string[],
): TransportResponse {
  const get = (name: string) => {
    const value = headers.get(name);
    return value === null ? null : redact(value, secrets);
  };
  return { status, headers: { get }, text: redactBody(text, secrets) };
}
