import {
  FetchBackend,
  HttpBackend,
  HttpClient,
  HttpContext,
  HttpContextToken,
  HttpErrorResponse,
  HttpEventType,
  type HttpRequest,
  type HttpResponse,
} from '@angular/common/http';
import { inject } from '@angular/core';
import { catchError, concatMap, map, of } from 'rxjs';
import {
  explainFailure,
  MAX_BODY,
  isRedirectStatus,
  redirected,
  tooLarge,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../../transport/index.js';
import { CALL_TRANSPORT, type LobbyClientFeature } from './lobby.js';

/**
 * Tells an interceptor about a request of this library. `undefined` for any other request.
 * `idempotent` tells whether the request may be sent more than once to the same effect.
 * `players.connected` may not, so an interceptor that retries has to check this.
 *
 * @example
 * const mayRetry =
 *   request.context.get(LOBBY_CLIENT_REQUEST)?.idempotent ?? request.method === 'GET';
 */
export const LOBBY_CLIENT_REQUEST = /* @__PURE__ */ new HttpContextToken<
  { readonly idempotent: boolean } | undefined
>(() => undefined);

/**
 * Sends plain requests through `HttpClient`, so that interceptors see them, with their bearer
 * token. Polls use the `transport` of the client, since an open request of `HttpClient` keeps the
 * application unstable. So an interceptor cannot add a token to a poll. The token has to be in the
 * config of `provideLobbyClient`.
 *
 * Redirects are errors. With `provideHttpClient(withFetch())` none is followed. `XMLHttpRequest`
 * follows them without saying so. There, an answer from another URL than the request was sent to
 * counts as a redirect. A body that is larger than `maxBody` is not read to its end.
 *
 * @example
 * providers: [
 *   provideHttpClient(withFetch()),
 *   provideLobbyClient(() => ({ url, token }), withHttpClientCalls()),
 * ]
 */
export function withHttpClientCalls(): LobbyClientFeature {
  return { providers: [{ provide: CALL_TRANSPORT, useFactory: overHttpClient }] };
}

/** Where a request is sent in the end. Interceptors may change its URL. */
const TARGET = /* @__PURE__ */ new HttpContextToken<{ url: string } | undefined>(() => undefined);

const observed = new WeakSet<HttpBackend>();

/**
 * Notes where a backend sends the requests of this library. Only the backend sees a request after
 * all interceptors.
 */
function observe(backend: HttpBackend): HttpBackend {
  if (observed.has(backend)) return backend;
  observed.add(backend);
  const handle = backend.handle.bind(backend);
  backend.handle = (request: HttpRequest<unknown>) => {
    const target = request.context.get(TARGET);
    if (target) target.url = request.urlWithParams;
    return handle(request);
  };
  return backend;
}

function overHttpClient(): Transport {
  const http = inject(HttpClient);
  const backend = observe(inject(HttpBackend));
  // A redirect would take the token, or the body, to another server. XMLHttpRequest does not have
  // this option, and would warn about it.
  const fetchOptions = backend instanceof FetchBackend ? ({ redirect: 'manual' } as const) : {};
  return request => {
    const { method, url, headers, body, idempotent = false, keepalive, maxBody = MAX_BODY } = request;
    const target = { url };
    const context = new HttpContext().set(LOBBY_CLIENT_REQUEST, { idempotent }).set(TARGET, target);
    const options = {
      ...fetchOptions,
      headers,
      context,
      observe: 'events',
      responseType: 'text',
      reportProgress: true,
      ...(body !== undefined && { body }),
      ...(keepalive && { keepalive }),
    } as const;
    return http.request(method, url, options).pipe(
      concatMap((event): readonly Answer[] => {
        // In bytes, as they arrive.
        if (event.type === HttpEventType.DownloadProgress && event.loaded > maxBody) throw tooLarge(request);
        if (event.type !== HttpEventType.Response) return [];
        return [{ response: event, text: event.body ?? '' }];
      }),
      catchError((error: unknown) => of(answerIn(error, request))),
      map(answer => checked(answer, request, target.url)),
    );
  };
}

interface Answer {
  readonly response: Pick<HttpResponse<unknown>, 'status' | 'headers' | 'url' | 'redirected'>;
  readonly text: string;
}

/**
 * The answer in an error of `HttpClient`, which takes an error status for an error. Throws a
 * `TransportError` if the error has no answer.
 */
function answerIn(error: unknown, request: TransportRequest): Answer {
  if (!(error instanceof HttpErrorResponse)) throw explainFailure(error, request);
  const { error: body } = error as { readonly error: unknown };
  if (error.status > 0) return { response: error, text: typeof body === 'string' ? body : '' };
  // A page sees neither the target of a redirect nor its status, but only that nothing has failed.
  const isRedirect = body === null || body === undefined || body === '';
  if (isRedirect) throw redirected(request);
  throw explainFailure(body instanceof Error ? body : error, request);
}

/**
 * The answer as a response of this library. Throws a `TransportError` if it is a redirect, or comes
 * from another URL than `target`, or is too large.
 */
function checked({ response, text }: Answer, request: TransportRequest, target: string): TransportResponse {
  const { status, headers, url } = response;
  // With XMLHttpRequest, only the URL of an answer tells that a redirect was followed.
  const wasRedirected = response.redirected ?? (url !== null && !isSameUrl(url, target));
  if (isRedirectStatus(status) || wasRedirected) throw redirected(request);
  if (text.length > (request.maxBody ?? MAX_BODY)) throw tooLarge(request);
  return { status, headers, text };
}

/** The part of the platform's class that is used. */
declare const URL: new (url: string) => { readonly href: string };

/**
 * Whether two URLs are the same. Browsers write some differently from how they were given, and
 * interceptors may shorten them.
 * URLs that cannot be compared, such as a relative one, count as the same.
 */
function isSameUrl(url: string, other: string): boolean {
  try {
    return url === other || new URL(url).href === new URL(other).href;
  } catch {
    return true;
  }
}
