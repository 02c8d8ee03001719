import {
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
  describe,
  InputError,
  isClientError,
  redactError,
  TransportError,
  type RequestSummary,
} from '../error/index.js';

/**
 * A bearer token, or a provider: a function that is called for each request, since a watch outlives its tokens. It is
 * called with `'request'` before each request, and with `'rejected'` after the service has answered 401. In that case it
 * must return a fresh token. `false` if something else adds the token to each request: an interceptor, or a proxy.
 *
 * @example
 * const token: Token = why => (why === 'rejected' ? session.renew() : session.token);
 */
export type Token = string | false | ((why: 'request' | 'rejected') => string | ObservableInput<string>);

/** How long a provider may take, in ms. */
const DEADLINE = 15_000;

/** A token, and the number of renewals before it was issued. */
export interface IssuedToken {
  /** Empty if something else adds the token. */
  readonly value: string;
  readonly generation: number;
}

/** Issues tokens. Requests that are rejected at the same time share one renewal. */
export interface TokenSource {
  /** The token to use for a request: synchronously, if the provider has it at once. */
  readonly issue: (request: RequestSummary) => Observable<IssuedToken>;
  /** Replaces a rejected token. Absent if there is no provider that could renew it. */
  readonly renew?: (rejected: IssuedToken, request: RequestSummary) => Observable<IssuedToken>;
}

/** Creates a token source. Throws an `InputError` if the token is invalid. */
export function tokenSource(token: Token, scheduler: SchedulerLike): TokenSource {
  if (token === false) return { issue: () => of({ value: '', generation: 0 }) };
  if (typeof token !== 'function') {
    const problem = tokenProblem(token);
    if (problem)
      throw new InputError('token', 'a bearer token, a function that gives one, or false', problem);
    return { issue: () => of({ value: token, generation: 0 }) };
  }

  let generation = 0;
  let renewal: Observable<IssuedToken> | undefined;
  /** What an error of the provider may quote. */
  let lastIssued: readonly string[] = [];
  /** The provider has been called, and has not returned yet. */
  let isAsking = false;

  /** Runs a part of the provider. It must not send a request meanwhile, which would wait for its token. */
  const asking = <T>(run: () => T): T => {
    isAsking = true;
    try {
      return run();
    } finally {
      isAsking = false;
    }
  };

  const valid = (value: string | null | undefined, generation: number): IssuedToken => {
    const problem = tokenProblem(value);
    if (problem) throw new ProviderFailure(`gave ${problem}`);
    lastIssued = [value!];
    return { value: value!, generation };
  };

  const ask = (why: 'request' | 'rejected'): Observable<IssuedToken> => {
    // Read before the call: if a renewal finishes first, this token counts as older than the renewal.
    const generationAtCall = generation;
    const given = asking(() => token(why) as ReturnType<Exclude<Token, string | false>> | undefined);
    // Strings are checked first, because `from` would emit their characters one by one.
    if (typeof given === 'string' || given == null) return of(valid(given, generationAtCall));
    const done = () => (isAsking = false);
    // What is sent in response to the token is not sent by the provider.
    const given$ = from(given).pipe(tap({ next: done, error: done, complete: done }));
    const asked$ = new Observable<string>(subscriber => asking(() => given$.subscribe(subscriber)));
    return asked$.pipe(
      timeout({ first: DEADLINE, scheduler }),
      take(1),
      throwIfEmpty(() => new ProviderFailure('completed without one')),
      map(value => valid(value, generationAtCall)),
    );
  };

  const renew = (): Observable<IssuedToken> => {
    const clear = () => {
      if (renewal === started) renewal = undefined;
    };
    const started: Observable<IssuedToken> = defer(() => ask('rejected')).pipe(
      map(({ value }) => ({ value, generation: ++generation })),
      // Cleared before anyone is notified, so that a request made in response can start a new renewal.
      tap({ next: clear, error: clear }),
      finalize(clear),
      share(),
    );
    return (renewal = started);
  };

  // Several requests may share a renewal. Each gets an error with its own request summary.
  const explained = (request: RequestSummary, issue: () => Observable<IssuedToken>) =>
    defer(issue).pipe(catchError((error: unknown) => throwError(() => explain(error, request, lastIssued))));

  return {
    issue: request =>
      explained(request, () => {
        if (isAsking)
          throw new ProviderFailure('sent a request through its own client, which waits for its token');
        // During a renewal, new requests wait for it, because the current token is known to be rejected.
        return renewal ?? ask('request');
      }),
    renew: (rejected, request) =>
      explained(request, () => renewal ?? (rejected.generation < generation ? ask('request') : renew())),
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
function explain(error: unknown, request: RequestSummary, secrets: readonly string[]): TransportError {
  const failure = (what: string, cause?: Error) =>
    new TransportError(
      'not_sent',
      `nothing was sent: the token provider ${what}`,
      request,
      cause && { cause },
    );
  try {
    if (error instanceof ProviderFailure) return failure(error.message);
    if (error instanceof TimeoutError) {
      return failure(
        `gave none within ${DEADLINE} ms (if it sends requests through this client, they wait for it)`,
      );
    }
    // The errors of this library contain no tokens.
    const what = isClientError(error)
      ? `${error.name}: ${error.message}`
      : error instanceof Error
        ? error.constructor.name
        : typeof error;
    return failure(`failed with ${what}`, redactError(error, secrets));
  } catch {
    // Anything can be thrown, even what throws when it is read.
    return failure(`failed with ${typeof error}`, redactError(error, secrets));
  }
}
