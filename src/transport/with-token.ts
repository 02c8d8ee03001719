import {
  asyncScheduler,
  catchError,
  concatMap,
  defer,
  map,
  of,
  take,
  throwError,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import {
  checkArgument,
  isFromService,
  redact,
  redactBody,
  schedulerLike,
  UnauthorizedError,
} from '../error/index.js';
import { errorBodyOf } from '../protocol/index.js';
import { explainFailure } from './explain-failure.js';
import { tokenSource, type Token, type TokenSource } from './token-source.js';
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
 * Adds a bearer token to each request of a {@link Transport} (interface document, 5).
 *
 * `get` is called before each request. After a 401 it is called again: if it gives another token, the request is sent with that; if it
 * gives the same one, `renew` is called, once for all who wait, and the request is sent with what it gives. A token that the service has
 * rejected is never sent again, if there is a `renew`. A request is sent three times at most; a 401 after 2 s or more does not count.
 *
 * Errors, besides those of the transport: an `UnauthorizedError` if `get` gives `null`, or only what the service has rejected. If
 * `get` or `renew` throws, gives no valid token, or takes longer than 15 s, a `TransportError` whose reason is `not_sent`; its
 * `cause` is what was thrown, without what may be a token. All who ask within a second get the same error. A last 401 is emitted
 * as the answer, with `isSignedOut` if `renew` gave `null`.
 *
 * The token is sent only in the header. If an error answer quotes the token or a string of the request's body, that is
 * redacted. `get` and `renew` must not send requests through the same client, since these would wait for the token.
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
  const source = tokenSource(token, scheduler);
  /** Those that the service has rejected. */
  const rejected = new Set<string>();
  return request =>
    defer(() => {
      const attempts = new Attempts(source, rejected);
      /** Sends it with the next token. If there is none, the last answer is the answer. */
      const attempt = (last?: TransportResponse): Observable<TransportResponse> =>
        attempts.nextToken().pipe(
          catchError((failure: unknown) => throwError(() => source.explain(failure, summaryOf(request)))),
          concatMap(token => {
            if (typeof token === 'string') return send(token);
            if (!last) return throwError(() => new UnauthorizedError(summaryOf(request)));
            request.onArrival?.(last.status);
            return of(token === null ? { ...last, isSignedOut: true } : last);
          }),
        );
      const send = (token: string) => {
        const sentAt = scheduler.now();
        const authorized = withBearer(request, token);
        return defer(() => transport(authorized)).pipe(
          take(1),
          map(response => withoutSecrets(response, request, [token, ...attempts.refused])),
          // A transport of the caller's may throw, or answer with something else.
          catchError((error: unknown) => throwError(() => explainFailure(error, authorized))),
          concatMap(response => {
            if (response.status !== 401) return of(response);
            attempts.refuse(token, isServices(response), scheduler.now() - sentAt >= HELD_AFTER);
            return attempt(response);
          }),
        );
      };
      return attempt();
    });
}

/** Which tokens a request is sent with. */
class Attempts {
  /** Those that this request was refused with. */
  readonly refused: string[] = [];
  readonly #source: TokenSource;
  readonly #rejected: Set<string>;
  #left = MAX_SENDS;
  #mayRenew = true;

  constructor(source: TokenSource, rejected: Set<string>) {
    this.#source = source;
    this.#rejected = rejected;
  }

  /** A token that was not refused; undefined if there is none; `null` if nobody is signed in. */
  nextToken(): Observable<string | null | undefined> {
    if (this.#left === 0) return of(undefined);
    return this.#source.current$.pipe(
      concatMap(token => (this.#isUsed(token) ? this.#renewed() : of(token))),
    );
  }

  #renewed(): Observable<string | null | undefined> {
    const { renewed$ } = this.#source;
    if (!renewed$ || !this.#mayRenew) return of(undefined);
    this.#mayRenew = false;
    return renewed$.pipe(map(token => (this.#isUsed(token) ? undefined : token)));
  }

  #isUsed(token: string | null): boolean {
    return token !== null && (this.refused.includes(token) || this.#rejected.has(token));
  }

  refuse(token: string, isServices: boolean, isHeld: boolean): void {
    this.refused.push(token);
    if (isServices && this.#source.renewed$) this.#rejected.add(token);
    if (this.#rejected.size > REMEMBERED) this.#rejected.delete(this.#rejected.values().next().value!);
    this.#left = isHeld ? MAX_SENDS : this.#left - 1;
    this.#mayRenew ||= isHeld;
  }
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

/** Whether an answer is the service's own. */
function isServices({ headers, text }: TransportResponse): boolean {
  const { code, ray_id } = errorBodyOf(text);
  return isFromService({
    code: code ?? undefined,
    rayId: ray_id ?? headers.get('rvt-ray-id') ?? undefined,
  });
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
