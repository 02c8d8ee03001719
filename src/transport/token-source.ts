import {
  catchError,
  concatMap,
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
  type ObservableInput,
  type SchedulerLike,
} from 'rxjs';
import {
  aFunction,
  checkArgument,
  checkOptions,
  describe,
  InputError,
  isOwnError,
  observableInput,
  plainObject,
  redactError,
  TransportError,
  type Options,
  type RequestSummary,
} from '../error/index.js';

/** A token, or `null` or `undefined` if nobody is signed in; at once, or later as a promise or the first value of an Observable. */
export type TokenValue = string | null | undefined | ObservableInput<string | null | undefined>;

/** Gives tokens that expire, and others in their place. */
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
 * Where the bearer token comes from (interface document, 5): one that never changes; `get` and `renew`; a function that is `get` for
 * both; or `false` if something else adds it to each request: an interceptor, or a proxy.
 *
 * @example
 * const token: Token = { get: () => session.token, renew: () => session.renew() };
 */
export type Token = string | false | (() => TokenValue) | TokenProvider;

/** How long `get` and `renew` may take, in ms. */
const TIMEOUT = 15_000;

/** So long their failure is given to all who ask, in ms: it is likely to be the same. */
const FAILURE_LASTS = 1_000;

/** Gives tokens to requests: one, or `null` if nobody is signed in. */
export interface TokenSource {
  /** What `get` gives. Empty if something else adds the token. */
  readonly current$: Observable<string | null>;
  /** What `renew` gives. Absent if nothing can be renewed. */
  readonly renewed$?: Observable<string | null>;
  /** The error of a request that got no token, from that of an Observable above. */
  readonly explain: (failure: unknown, request: RequestSummary) => TransportError;
}

const PROVIDER_OPTIONS: Options<TokenProvider> = { get: aFunction, renew: aFunction };

/** Creates a token source. Throws an `InputError` if the token is invalid. */
export function tokenSource(token: Token, scheduler: SchedulerLike): TokenSource {
  /** What an error of the provider may quote. */
  let lastIssued = '';
  const explain = (failure: unknown, request: RequestSummary) => explained(failure, request, [lastIssued]);
  if (token === false) return { current$: of(''), explain };
  if (typeof token !== 'function' && !plainObject.is(token)) {
    const problem = tokenProblem(token);
    if (problem)
      throw new InputError('token', 'a bearer token, a function, { get, renew }, or false', problem);
    return { current$: of(token as string), explain };
  }
  /** `get` and `renew` must not send requests through their own client, which would wait for them. */
  let isAsking = false;
  const asked = (what: string, run: () => unknown) => {
    const ask = () => {
      isAsking = true;
      try {
        return run();
      } finally {
        isAsking = false;
      }
    };
    const value$ = oneAtATime(what, ask, scheduler);
    return defer(() => {
      if (isAsking)
        throw new Failure(what, new Problem('sent a request through its own client, which waits for it'));
      return value$;
    }).pipe(
      tap(value => {
        if (value) lastIssued = value;
      }),
    );
  };
  if (typeof token === 'function')
    return { current$: asked('the token function', token).pipe(map(orNull)), explain };

  const provider = token as TokenProvider;
  checkOptions(provider, PROVIDER_OPTIONS, 'token');
  for (const name of ['get', 'renew'] as const) checkArgument(`token.${name}`, aFunction, provider[name]);
  const current$ = asked('token.get', () => provider.get()).pipe(map(orNull));
  const renewed$ = asked('token.renew', () => provider.renew()).pipe(
    // It has changed what `get` gives.
    concatMap(value => (value === undefined ? current$ : of(value))),
  );
  return { current$, renewed$, explain };
}

function orNull(value: string | null | undefined): string | null {
  return value ?? null;
}

/** Asks for a token, for all who subscribe meanwhile. Its failure is given to all who subscribe soon after. */
function oneAtATime(
  what: string,
  ask: () => unknown,
  scheduler: SchedulerLike,
): Observable<string | null | undefined> {
  let running: Observable<string | null | undefined> | undefined;
  let failure: Failure | undefined;
  let failedAt = 0;
  const fail = (error: unknown) => {
    failure = new Failure(what, error);
    failedAt = scheduler.now();
    return failure;
  };
  return defer(() => {
    if (failure && Math.abs(scheduler.now() - failedAt) < FAILURE_LASTS) throw failure;
    if (running) return running;
    try {
      const given = ask();
      // Strings are checked first: `from` would emit their characters one by one.
      if (typeof given === 'string' || given == null) return of(valid(given));
      if (!observableInput.is(given)) throw new Problem(`gave ${describe(given)}`);
      running = later(given as ObservableInput<string | null | undefined>);
      return running;
    } catch (error) {
      throw fail(error);
    }
  });

  function later(given: ObservableInput<string | null | undefined>) {
    // Before anyone is notified, so that a request that is made in response asks anew.
    const clear = () => (running = undefined);
    const isPromise = 'then' in given;
    // It goes on although nobody waits for it any more: who asks meanwhile waits for it, too.
    if (isPromise) void Promise.resolve(given).then(clear, clear);
    const value$ = from(given).pipe(
      timeout({ first: TIMEOUT, scheduler, with: () => throwError(() => new Problem(GAVE_NONE)) }),
      take(1),
      throwIfEmpty(() => new Problem('completed without a token')),
      map(valid),
      tap({ next: clear, error: clear }),
      catchError((error: unknown) => throwError(() => fail(error))),
    );
    return isPromise ? value$ : value$.pipe(finalize(clear), share());
  }
}

const GAVE_NONE = `gave none within ${TIMEOUT} ms (if it sends requests through this client, they wait for it)`;

function valid<Value extends string | null | undefined>(value: Value): Value {
  const problem = value == null ? undefined : tokenProblem(value);
  if (problem) throw new Problem(`gave ${problem}`);
  return value;
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

/** What is wrong with what a provider did. */
class Problem extends Error {}

/** Anything can be thrown, even what throws when its class is asked for. */
function isProblem(error: unknown): error is Problem {
  try {
    return error instanceof Problem;
  } catch {
    return false;
  }
}

/** What failed, and with what. */
class Failure extends Error {
  constructor(
    readonly what: string,
    readonly error: unknown,
  ) {
    super();
  }
}

/** Says what happened. What a provider threw may contain a token: the message and the cause have what is left of it. */
function explained(failure: unknown, request: RequestSummary, secrets: readonly string[]): TransportError {
  const { what, error } = failure as Failure;
  const notSent = (how: string, cause?: Error) =>
    new TransportError('not_sent', `nothing was sent: ${what} ${how}`, request, cause && { cause });
  if (isProblem(error)) return notSent(error.message);
  // The errors of this library contain no tokens.
  const cause = isOwnError(error) ? error : redactError(error, secrets);
  return notSent(`failed: ${cause.name}: ${cause.message}`, cause);
}
