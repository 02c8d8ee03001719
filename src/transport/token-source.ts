import {
  asyncScheduler,
  catchError,
  defer,
  finalize,
  from,
  map,
  of,
  share,
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
  schedulerLike,
  TransportError,
  type Options,
  type RequestSummary,
} from '../error/index.js';

/**
 * Where the bearer token comes from: the token itself; or a function that is called for each request, since tokens live
 * shorter than watches do. It is called with `'request'` before a request, and with `'rejected'` once the service has
 * answered 401: then it must get a fresh one.
 *
 * @example
 * const token: Token = why => (why === 'rejected' ? session.renew() : session.token);
 */
export type Token = string | ((why: 'request' | 'rejected') => string | ObservableInput<string>);

/** How long a token provider may take. */
export interface TokenSourceConfig {
  /** In ms. Default 15,000. */
  readonly deadline?: number;
  /** The clock. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

const OPTIONS: Options<TokenSourceConfig> = { deadline: milliseconds, scheduler: schedulerLike };

/** A token, and how many renewals had been made when it was issued. */
export interface IssuedToken {
  readonly value: string;
  readonly generation: number;
}

/** Issues tokens, and renews them once for all requests that are rejected at the same time. */
export interface TokenSource {
  /** The token to use for a request. */
  readonly issue: (request: RequestSummary) => Observable<IssuedToken>;
  /** A fresh one in place of a rejected one; absent if the token is a plain string, which nothing can renew. */
  readonly renew?: (rejected: IssuedToken, request: RequestSummary) => Observable<IssuedToken>;
}

/** Throws an `InputError` if the token or the config is invalid. */
export function tokenSource(token: Token, config: TokenSourceConfig = {}): TokenSource {
  checkOptions(config, OPTIONS);
  const { deadline = 15_000, scheduler = asyncScheduler } = config;
  if (typeof token !== 'function') {
    const flaw = flawOf(token);
    if (flaw) throw new InputError('token', 'a bearer token, or a function that gives one', flaw);
    return { issue: () => of({ value: token, generation: 0 }) };
  }

  let generation = 0;
  let renewal: Observable<IssuedToken> | undefined;

  const ask = (why: 'request' | 'rejected'): Observable<IssuedToken> =>
    defer(() => {
      // As of the call: if a renewal overtakes this token, it is one from before the renewal.
      const asked = generation;
      return defer(() => {
        const given = token(why) as ReturnType<Exclude<Token, string>> | undefined;
        // A string is an ObservableInput too, of its letters, so it is looked for first.
        return typeof given === 'string' || given == null ? of(given) : from(given);
      }).pipe(
        timeout({ first: deadline, scheduler }),
        take(1),
        throwIfEmpty(() => new ProviderFailure('completed without one')),
        map(value => {
          const flaw = flawOf(value);
          if (flaw) throw new ProviderFailure(`gave ${flaw}`);
          return { value: value!, generation: asked };
        }),
      );
    });

  const renew = (): Observable<IssuedToken> => {
    const isOver = () => {
      if (renewal === mine) renewal = undefined;
    };
    const mine: Observable<IssuedToken> = ask('rejected').pipe(
      map(({ value }) => ({ value, generation: ++generation })),
      // Over before anyone is told, so that a request made in response to it starts a new one.
      tap({ next: isOver, error: isOver }),
      finalize(isOver),
      share(),
    );
    return (renewal = mine);
  };

  // One renewal serves several requests; each gets its error as its own.
  const explained = (request: RequestSummary, token$: () => Observable<IssuedToken>) =>
    defer(token$).pipe(catchError((error: unknown) => throwError(() => explain(error, deadline, request))));

  return {
    // During a renewal everyone waits for it: the token at hand is known to be rejected.
    issue: request => explained(request, () => renewal ?? ask('request')),
    renew: (rejected, request) =>
      explained(request, () => renewal ?? (rejected.generation < generation ? ask('request') : renew())),
  };
}

/** What is wrong with a bearer token, in words, without its value; `undefined` if nothing is. */
function flawOf(token: unknown): string | undefined {
  if (typeof token !== 'string') return describe(token);
  if (token === '') return 'an empty string';
  if (/^Bearer\s/i.test(token)) return "a string that begins with 'Bearer', which is added to it";
  // No header can carry anything else, and the error of whoever rejects it there quotes the token.
  if (!/^[\x21-\x7e]+$/.test(token)) return 'a string with spaces, line breaks or letters beyond ASCII';
  return undefined;
}

/** What a provider did instead of giving a token. */
class ProviderFailure extends Error {}

/** A provider's own error is named but not quoted, because it may contain a token. Whoever wrote it can log it there. */
function explain(error: unknown, deadline: number, request: RequestSummary): TransportError {
  const what = (): string => {
    if (error instanceof ProviderFailure) return error.message;
    if (error instanceof TimeoutError) return `gave none within ${deadline} ms`;
    return `failed with ${error instanceof Error ? error.constructor.name : typeof error}`;
  };
  return new TransportError('not_sent', `nothing was sent: the token provider ${what()}`, request);
}
