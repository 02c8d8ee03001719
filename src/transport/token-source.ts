import {
  AsyncSubject,
  catchError,
  concatMap,
  defer,
  from,
  map,
  NEVER,
  of,
  share,
  take,
  throwError,
  throwIfEmpty,
  timeout,
  timer,
  type Observable,
  type ObservableInput,
  type SchedulerLike,
} from 'rxjs';
import {
  aFunction,
  checkOptions,
  describe,
  InputError,
  isOwnError,
  observableInput,
  plainObject,
  redactError,
} from '../error/index.js';

/** A token, or `null` or `undefined` if nobody is signed in; at once, or later as a promise or the first value of an Observable. */
export type TokenValue = string | null | undefined | ObservableInput<string | null | undefined>;

/** Gives tokens that expire, and others in their place. It must not send requests through its own client, which waits for the token. */
export interface TokenProvider {
  /** The token for a request: called before each, since a watch outlives its tokens. `null` or `undefined`: nobody is signed in. */
  readonly get: () => TokenValue;
  /**
   * Called after a 401, once for all who wait. Gives a fresh token; `undefined` (as an `async` function without a value does): ask
   * `get` again; `null`: signed out.
   */
  // eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- of a function that returns nothing
  readonly renew: () => TokenValue | void | Promise<void>;
}

/**
 * Where the bearer token comes from (docs/the-service.md, 5): one that never changes; `get` and `renew`; a function that is `get` for
 * both; or `false` if something else adds it to each request: an interceptor, or a proxy.
 *
 * @example
 * const token: Token = { get: () => session.token, renew: () => session.renew() };
 */
export type Token = string | false | (() => TokenValue) | TokenProvider;

/** How long `get` and `renew` may take, in ms. */
const TIMEOUT_MS = 15_000;

/** So long their failure is given to all who ask, in ms: it is likely to be the same. */
const FAILURE_LASTS_MS = 1_000;

/** Gives tokens to requests: one, or `null` if nobody is signed in. Errors say why there is none, without what may be a token. */
export interface TokenSource {
  /** What `get` gives; an empty string if something else adds the token. */
  readonly current$: Observable<string | null>;
  /** What `renew` gives. Absent if nothing can be renewed. */
  readonly renewed$?: Observable<string | null>;
}

/** Creates a token source. Throws an `InputError` if the token is invalid. */
export function tokenSource(token: Token, scheduler: SchedulerLike): TokenSource {
  if (token === false) return { current$: of('') };
  if (typeof token !== 'function' && !plainObject.is(token)) {
    const problem = tokenProblem(token);
    if (problem)
      throw new InputError('token', 'a bearer token, a function, { get, renew }, or false', problem);
    return { current$: of(token as string) };
  }
  const asked = createAsking(scheduler);
  const orNull = map((value: string | null | undefined) => value ?? null);
  if (typeof token === 'function') return { current$: asked('the token function', token).pipe(orNull) };

  const provider = token as TokenProvider;
  checkOptions(provider, { get: aFunction, renew: aFunction }, 'token', ['get', 'renew']);
  const current$ = asked('token.get', () => provider.get()).pipe(orNull);
  const renewed$ = asked('token.renew', () => provider.renew()).pipe(
    // If it gives nothing, it has changed what `get` gives.
    concatMap(value => (value === undefined ? current$ : of(value))),
  );
  return { current$, renewed$ };
}

/** Creates a function that makes a callback of the provider, named `what` in errors, a stream of what it gives. */
function createAsking(scheduler: SchedulerLike) {
  let isAsking = false;
  /** What an error of the provider may quote. */
  let lastToken = '';
  return (what: string, ask: () => unknown): Observable<string | null | undefined> => {
    const failure = (how: string, cause?: Error) =>
      new Error(`nothing was sent: ${what} ${how}`, cause && { cause });
    const thrown = (error: unknown) => {
      // The errors of this library contain no tokens.
      const cause = isOwnError(error) ? error : redactError(error, [lastToken]);
      return failure(`failed: ${cause.name}: ${cause.message}`, cause);
    };
    let isPromise = false;
    const given$ = defer(() => {
      isAsking = true;
      try {
        const given = ask();
        if (!observableInput.is(given)) return of(given);
        isPromise = 'then' in given;
        return from(given as ObservableInput<unknown>);
      } finally {
        isAsking = false;
      }
    });
    const value$ = given$.pipe(
      catchError((error: unknown) => throwError(() => thrown(error))),
      timeout({ first: TIMEOUT_MS, scheduler, with: () => throwError(() => failure(GAVE_NONE)) }),
      take(1),
      throwIfEmpty(() => failure('completed without a token')),
      map(value => {
        const problem = value == null ? undefined : tokenProblem(value);
        if (problem) throw failure(`gave ${problem}`);
        lastToken = (value ?? lastToken) as string;
        return value as string | null | undefined;
      }),
      share({
        // It emits once the source has completed, so that a request that is made in response asks anew.
        connector: () => new AsyncSubject(),
        resetOnError: () => timer(FAILURE_LASTS_MS, scheduler),
        // A promise goes on although nobody waits for it any more: who asks meanwhile waits for it, too.
        resetOnRefCountZero: () => (isPromise ? NEVER : of(0)),
      }),
    );
    return defer(() => {
      if (isAsking) throw failure('sent a request through its own client, which waits for it');
      return value$;
    });
  };
}

const GAVE_NONE = `gave none within ${TIMEOUT_MS} ms (if it sends requests through this client, they wait for it)`;

/** Says what is wrong with a bearer token without quoting it; `undefined` if it is valid. */
function tokenProblem(token: unknown): string | undefined {
  if (typeof token !== 'string') return describe(token);
  if (token === '') return 'an empty string';
  if (/^Bearer\s/i.test(token)) return "a string that begins with 'Bearer', which is added to it";
  // A header cannot carry anything else, and the platform's error for it would quote the token.
  if (!/^[\x21-\x7e]+$/.test(token)) return 'a string with spaces, line breaks or letters beyond ASCII';
  return undefined;
}
