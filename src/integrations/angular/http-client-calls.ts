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
  redirected,
  tooLarge,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../../transport/index.js';
import { CALL_TRANSPORT, type LobbyClientFeature } from './lobby.js';
import { isSameUrl } from './urls.js';

/**
 * Tells an interceptor about a request of this library. `undefined` for any other request.
 * `idempotent` tells whether it may be sent more than once to the same effect: `players.connected`
 * is not, so an interceptor that retries has to look.
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
 * token. Polls never are: each would keep the application unstable while the service holds it. They
 * use the `transport` of the client, so an interceptor cannot add a token for them: it has to be in
 * the config of `provideLobbyClient`.
 *
 * Redirects are errors. With `provideHttpClient(withFetch())` none is followed. `XMLHttpRequest`
 * follows them without telling, so an answer from another URL than interceptors have sent the
 * request to counts as one. A body that is larger than `maxBody` is not read to its end.
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

/** Where a request goes in the end: interceptors may send it to a gateway, or add to its query. */
const SENT = /* @__PURE__ */ new HttpContextToken<{ url: string } | undefined>(() => undefined);

const observed = new WeakSet<HttpBackend>();

/**
 * Notes where a backend sends the requests of this library. Nothing but the backend itself comes
 * after all interceptors.
 */
function observe(backend: HttpBackend): HttpBackend {
  if (observed.has(backend)) return backend;
  observed.add(backend);
  const handle = backend.handle.bind(backend);
  return Object.assign(backend, {
    handle: (request: HttpRequest<unknown>) => {
      const sent = request.context.get(SENT);
      if (sent) sent.url = request.urlWithParams;
      return handle(request);
    },
  });
}

function overHttpClient(): Transport {
  const http = inject(HttpClient);
  // A redirect would take the token, or the body, to another server. XMLHttpRequest has no such
  // option, and would warn of it.
  const redirect = observe(inject(HttpBackend)) instanceof FetchBackend && ({ redirect: 'manual' } as const);
  return request => {
    const { method, url, headers, body, idempotent = false, keepalive, maxBody = MAX_BODY } = request;
    const target = { url };
    const context = new HttpContext().set(LOBBY_CLIENT_REQUEST, { idempotent }).set(SENT, target);
    const options = {
      headers,
      context,
      observe: 'events',
      responseType: 'text',
      reportProgress: true,
    } as const;
    const sent = {
      ...options,
      ...redirect,
      ...(body !== undefined && { body }),
      ...(keepalive && { keepalive }),
    };
    return http.request(method, url, sent).pipe(
      concatMap((event): readonly Answer[] => {
        // In bytes, as they arrive.
        if (event.type === HttpEventType.DownloadProgress && event.loaded > maxBody) throw tooLarge(request);
        return event.type === HttpEventType.Response ? [{ response: event, text: event.body ?? '' }] : [];
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
 * The answer that `HttpClient` takes for an error, since its status says so. Throws a
 * `TransportError` if there is none.
 */
function answerIn(error: unknown, request: TransportRequest): Answer {
  if (!(error instanceof HttpErrorResponse)) throw explainFailure(error, request);
  const { error: body } = error as { readonly error: unknown };
  if (error.status > 0) return { response: error, text: typeof body === 'string' ? body : '' };
  // A page does not see where a redirect leads, nor its status: only that nothing has failed.
  const isRedirect = body === null || body === undefined || body === '';
  throw isRedirect ? redirected(request) : explainFailure(body instanceof Error ? body : error, request);
}

function checked({ response, text }: Answer, request: TransportRequest, sent: string): TransportResponse {
  const { status, headers, url } = response;
  const isRedirect = status >= 300 && status < 400 && status !== 304;
  if (isRedirect || (response.redirected ?? (url !== null && !isSameUrl(url, sent))))
    throw redirected(request);
  if (text.length > (request.maxBody ?? MAX_BODY)) throw tooLarge(request);
  return { status, headers, text };
}
