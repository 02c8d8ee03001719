import {
  asyncScheduler,
  catchError,
  defer,
  finalize,
  from,
  map,
  Observable,
  of,
  share,
  take,
  tap,
  throwError,
  throwIfEmpty,
  timeout,
  TimeoutError,
  type ObservableInput,
  type SchedulerLike,
} from 'rxjs';
import {
  checkOptions,
  describe,
  InputError,
  isClientError,
  milliseconds,
  redactError,
  schedulerLike,
  TransportError,
  type Options,
  type RequestSummary,
} from '../error/index.js';

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

/** A token, and the number of renewals before it was issued. */
export interface IssuedToken {
  readonly value: string;
  readonly generation: number;
}

/** Issues tokens. Requests that are rejected at the same time share one renewal. */
export interface TokenSource {
  /** The token to use for a request. */
  readonly issue: (request: RequestSummary) => Observable<IssuedToken>;
  /** Replaces a rejected token. Absent if the token is a plain string, which cannot be renewed. */
  readonly renew?: (rejected: IssuedToken, request: RequestSummary) => Observable<IssuedToken>;
}

/** Creates a token source. Throws an `InputError` if the token or the config is invalid. */
export function tokenSource(token: Token, config: TokenSourceConfig = {}): TokenSource {
  checkOptions(config, OPTIONS);
  const { deadline = 15_000, scheduler = asyncScheduler } = config;
  if (typeof token !== 'function') {
    const problem = tokenProblem(token);
    if (problem) throw new InputError('token', 'a bearer token, or a function that gives one', problem);
    return { issue: () => of({ value: token, generation: 0 }) };
  }

  let generation = 0;
  let renewal: Observable<IssuedToken> | undefined;
  /** What an error of the provider may quote. */
  let lastIssued: readonly string[] = [];
  /** The provider has been called, and has not returned yet. */
  let isAsking = false;

  const callProvider = (why: 'request' | 'rejected') =>
    new Observable<string | null | undefined>(subscriber => {
      const done = () => (isAsking = false);
      isAsking = true;
      try {
        const given = token(why) as ReturnType<Exclude<Token, string>> | undefined;
        // Strings are checked first, because `from` would emit their characters one by one.
        const given$ = typeof given === 'string' || given == null ? of(given) : from(given);
        // What is sent in response to the token is not sent by the provider.
        subscriber.add(given$.pipe(tap({ next: done, error: done })).subscribe(subscriber));
      } finally {
        done();
      }
    });

  const ask = (why: 'request' | 'rejected'): Observable<IssuedToken> =>
    defer(() => {
      // Read before the call: if a renewal finishes first, this token counts as older than the renewal.
      const generationAtCall = generation;
      return callProvider(why).pipe(
        timeout({ first: deadline, scheduler }),
        take(1),
        throwIfEmpty(() => new ProviderFailure('completed without one')),
        map(value => {
          const problem = tokenProblem(value);
          if (problem) throw new ProviderFailure(`gave ${problem}`);
          lastIssued = [value!];
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
    defer(token$).pipe(
      catchError((error: unknown) =>
        throwError(() => explain(error, { deadline, request, secrets: lastIssued })),
      ),
    );

  /** A provider that asks its own client would wait for itself. */
  const refuseOwnRequest = () => {
    if (isAsking)
      throw new ProviderFailure('sent a request through its own client, which waits for its token');
  };

  return {
    // During a renewal, new requests wait for it, because the current token is known to be rejected.
    issue: request =>
      withExplainedErrors(request, () => {
        refuseOwnRequest();
        return renewal ?? ask('request');
      }),
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

/** The error of a provider is not quoted in the message, because it may contain a token. The cause has what is left of it. */
function explain(
  error: unknown,
  context: {
    readonly deadline: number;
    readonly request: RequestSummary;
    readonly secrets: readonly string[];
  },
): TransportError {
  const { deadline, request, secrets } = context;
  const what = (): string => {
    if (error instanceof ProviderFailure) return error.message;
    if (error instanceof TimeoutError) {
      return `gave none within ${deadline} ms (if it sends requests through this client, they wait for it)`;
    }
    // The errors of this library contain no tokens.
    if (isClientError(error)) return `failed with ${error.name}: ${error.message}`;
    return `failed with ${error instanceof Error ? error.constructor.name : typeof error}`;
  };
  const cause =
    error instanceof ProviderFailure || error instanceof TimeoutError
      ? {}
      : { cause: redactError(error, secrets) };
  return new TransportError('not_sent', `nothing was sent: the token provider ${what()}`, request, cause);
}
