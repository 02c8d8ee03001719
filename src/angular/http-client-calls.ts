import {
  HttpClient,
  HttpContext,
  HttpContextToken,
  HttpErrorResponse,
  type HttpResponse,
} from '@angular/common/http';
import { inject } from '@angular/core';
import { catchError, map, of, throwError, type Observable } from 'rxjs';
import { TransportError } from '../error/index.js';
import {
  explainFailure,
  summaryOf,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../transport/index.js';
import { CALL_TRANSPORT, type LobbyFeature } from './lobby.js';
import { isSameUrl } from './urls.js';

/** The default of `fromFetch`, in bytes. */
const MAX_BODY = 8 * 2 ** 20;

/**
 * What an interceptor can know of a request of this library; undefined for any other request. `idempotent` tells whether it may be
 * sent more than once to the same effect: `players.connected` is not, so an interceptor that retries has to look.
 *
 * @example
 * const mayRetry = request.context.get(LOBBY_REQUEST)?.idempotent ?? true;
 */
export const LOBBY_REQUEST = new HttpContextToken<{ readonly idempotent: boolean } | undefined>(
  () => undefined,
);

/**
 * Sends plain requests through `HttpClient`, so that interceptors see them, with their bearer token. Polls never are: each would keep
 * the application unstable while the service holds it. So an interceptor cannot add the token for them: it is what `provideLobby`
 * is given.
 *
 * Redirects are errors. As `XMLHttpRequest` does not tell of them, an answer from another URL than that of the request counts as
 * one: an interceptor that changes URLs needs `provideHttpClient(withFetch())`.
 *
 * @example
 * providers: [provideHttpClient(withFetch()), provideLobby(() => ({ url, token }), withHttpClientCalls())]
 */
export function withHttpClientCalls(): LobbyFeature {
  return { providers: [{ provide: CALL_TRANSPORT, useFactory: () => overHttpClient(inject(HttpClient)) }] };
}

function overHttpClient(http: HttpClient): Transport {
  return request => {
    const { method, url, headers, body, idempotent = false, keepalive } = request;
    const context = new HttpContext().set(LOBBY_REQUEST, { idempotent });
    const options = { headers, context, observe: 'response', responseType: 'text' } as const;
    const sent = { ...options, ...(body !== undefined && { body }), ...(keepalive && { keepalive }) };
    return http.request(method, url, sent).pipe(
      map(response => ({ response, text: response.body ?? '' })),
      catchError((error: unknown) => answerIn(error) ?? throwError(() => explain(error, request))),
      map(answer => checked(answer, request)),
    );
  };
}

interface Answer {
  readonly response: Pick<HttpResponse<unknown>, 'status' | 'headers' | 'url' | 'redirected'>;
  readonly text: string;
}

/** The answer that `HttpClient` takes for an error: of any status, but a status. */
function answerIn(error: unknown): Observable<Answer> | undefined {
  if (!(error instanceof HttpErrorResponse) || error.status === 0) return undefined;
  const { error: body } = error as { readonly error: unknown };
  return of({ response: error, text: typeof body === 'string' ? body : '' });
}

function explain(error: unknown, request: TransportRequest): TransportError {
  const { error: cause } = Object(error) as { readonly error?: unknown };
  return explainFailure(cause instanceof Error ? cause : error, request);
}

function checked({ response, text }: Answer, request: TransportRequest): TransportResponse {
  const { status, headers, url } = response;
  if (response.redirected ?? (url !== null && !isSameUrl(url, request.url)))
    throw new TransportError('redirected', 'the answer was a redirect', summaryOf(request));
  if (text.length > (request.maxBody ?? MAX_BODY))
    throw new TransportError('too_large', 'the answer is larger than maxBody', summaryOf(request));
  return { status, headers, text };
}
