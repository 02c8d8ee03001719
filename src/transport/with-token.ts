import {
  asyncScheduler,
  catchError,
  defer,
  finalize,
  from,
  map,
  of,
  share,
  switchMap,
  take,
  tap,
  throwError,
  throwIfEmpty,
  timeout,
  TimeoutError,
  type Observable,
  type ObservableInput,
  type SchedulerLike,
} from 'rxjs';
import {
  checkOptions,
  describe,
  InputError,
  milliseconds,
  redact,
  redactBody,
  schedulerLike,
  TransportError,
  type Options,
  type RequestSummary,
} from '../error/index.js';
import { explainFailure } from './explain-failure.js';
import {
  secretsOf,
  summaryOf,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.js';

/**
 * A bearer token, or a provider: a function that is called for each request, since a watch outlives its tokens. It is
 * called with `'request'` before each request, and with `'rejected'` after the service has answered 401. In that case it
 * must return a fresh token.
 *
 * @example
 * const token: Token = why => (why === 'rejected' ? session.renew() : session.token);
 */
export type Token = string | ((why: 'request' | 'rejected') => string | ObservableInput<string>);

/** The options of a token provider. */
export interface TokenSourceConfig {
  /** How long the provider may take, in ms. Default 15,000. */
  readonly deadline?: number;
  /** The clock. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

const OPTIONS: Options<TokenSourceConfig> = { deadline: milliseconds, scheduler: schedulerLike };

/**
 * Adds a bearer token to each request of a {@link Transport} (interface document, 5).
 *
 * If `token` is a function, it is called for each request. After a 401 it is called once more, with `'rejected'`. All
 * requests that are waiting at that moment share the new token and are sent once more. A second 401 is emitted as the
 * answer. If the function throws, returns no valid token, or takes longer than `deadline` ms (15,000 by default), the
 * request ends with a `TransportError` whose reason is `not_sent`.
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

/** A token, and the number of renewals before it was issued. */
interface IssuedToken {
  readonly value: string;
  readonly generation: number;
}

/** Issues tokens. Requests that are rejected at the same time share one renewal. */
interface TokenSource {
  /** The token to use for a request. */
  readonly issue: (request: RequestSummary) => Observable<IssuedToken>;
  /** Replaces a rejected token. Absent if the token is a plain string, which cannot be renewed. */
  readonly renew?: (rejected: IssuedToken, request: RequestSummary) => Observable<IssuedToken>;
}

/** Creates a token source. Throws an `InputError` if the token or the config is invalid. */
function tokenSource(token: Token, config: TokenSourceConfig = {}): TokenSource {
  checkOptions(config, OPTIONS);
  const { deadline = 15_000, scheduler = asyncScheduler } = config;
  if (typeof token !== 'function') {
    const problem = tokenProblem(token);
    if (problem) throw new InputError('token', 'a bearer token, or a function that gives one', problem);
    return { issue: () => of({ value: token, generation: 0 }) };
  }

  let generation = 0;
  let renewal: Observable<IssuedToken> | undefined;

  const ask = (why: 'request' | 'rejected'): Observable<IssuedToken> =>
    defer(() => {
      // Read before the call: if a renewal finishes first, this token counts as older than the renewal.
      const generationAtCall = generation;
      return defer(() => {
        const given = token(why) as ReturnType<Exclude<Token, string>> | undefined;
        // Strings are checked first, because `from` would emit their characters one by one.
        return typeof given === 'string' || given == null ? of(given) : from(given);
      }).pipe(
        timeout({ first: deadline, scheduler }),
        take(1),
        throwIfEmpty(() => new ProviderFailure('completed without one')),
        map(value => {
          const problem = tokenProblem(value);
          if (problem) throw new ProviderFailure(`gave ${problem}`);
          return { value: value!, generation: generationAtCall };
        }),
      );
    });

  const renew = (): Observable<IssuedToken> => {
    const clear = () => {
      if (renewal === started) renewal = undefined;
    };
    const started: Observable<IssuedToken> = ask('rejected').pipe(
      map(({ value }) => ({ value, generation: ++generation })),
      // Cleared before anyone is notified, so that a request made in response can start a new renewal.
      tap({ next: clear, error: clear }),
      finalize(clear),
      share(),
    );
    return (renewal = started);
  };

  // Several requests may share a renewal. Each gets an error with its own request summary.
  const withExplainedErrors = (request: RequestSummary, token$: () => Observable<IssuedToken>) =>
    defer(token$).pipe(catchError((error: unknown) => throwError(() => explain(error, deadline, request))));

  return {
    // During a renewal, new requests wait for it, because the current token is known to be rejected.
    issue: request => withExplainedErrors(request, () => renewal ?? ask('request')),
    renew: (rejected, request) =>
      withExplainedErrors(
        request,
        () => renewal ?? (rejected.generation < generation ? ask('request') : renew()),
      ),
  };
}

/** Says what is wrong with a bearer token without quoting it; `undefined` if it is valid. */
function tokenProblem(token: unknown): string | undefined {
  if (typeof token !== 'string') return describe(token);
  if (token === '') return 'an empty string';
  if (/^Bearer\s/i.test(token)) return "a string that begins with 'Bearer', which is added to it";
  // A header cannot carry anything else, and the platform's error for it would quote the token.
  if (!/^[\x21-\x7e]+$/.test(token)) return 'a string with spaces, line breaks or letters beyond ASCII';
  return undefined;
}

/** The provider returned no valid token. The message says what it did instead. */
class ProviderFailure extends Error {}

/** The error of a provider is named but not quoted, because it may contain a token. The provider can log it itself. */
function explain(error: unknown, deadline: number, request: RequestSummary): TransportError {
  const what = (): string => {
    if (error instanceof ProviderFailure) return error.message;
    if (error instanceof TimeoutError) return `gave none within ${deadline} ms`;
    return `failed with ${error instanceof Error ? error.constructor.name : typeof error}`;
  };
  return new TransportError('not_sent', `nothing was sent: the token provider ${what()}`, request);
}
