import { concatMap, type Observable, type ObservableInput, type SchedulerLike } from 'rxjs';
import { Direct, directOf } from '../../direct/index.js';
import { aFunction, checkOptions, InputError, plainObject } from '../../error/index.js';
import { SharedCall, tokenProblem, type MaybeToken } from './shared-call.js';

/**
 * A token, or `null` or `undefined` if nobody is signed in. It comes at once, or later as a promise
 * or the first value of an Observable.
 */
export type TokenValue = string | null | undefined | ObservableInput<string | null | undefined>;

/**
 * Gives tokens that expire, and new ones in their place. It must not send requests through its own
 * client, which waits for the token.
 */
export interface TokenProvider {
  /**
   * Gives the token for a request. It is called before each request, since a watch outlives its
   * tokens. `null` or `undefined` means that nobody is signed in.
   */
  readonly get: () => TokenValue;
  /**
   * Called after a 401, once for all waiting requests. Gives a fresh token. `undefined` (as an
   * `async` function without a value gives it) means that `get` is asked again. `null` means signed
   * out.
   */
  // eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- of a function that returns nothing
  readonly renew: () => TokenValue | void | Promise<void>;
}

/**
 * Where the bearer token comes from (docs/the-service.md, 5). It is a string that never changes,
 * `get` and `renew`, or a function that is `get` for both. It is `false` if an interceptor or a
 * proxy adds the token to each request.
 *
 * @example
 * const token: Token = { get: () => session.token, renew: () => session.renew() };
 */
export type Token = string | false | (() => TokenValue) | TokenProvider;

/**
 * Gives tokens to requests. Its errors say why there is no token, without anything that may be one.
 */
export interface TokenSource {
  /** The token that `get` gives. An empty string if something else adds the token. */
  readonly current$: Observable<MaybeToken>;
  /** The token that `renew` gives. Absent if nothing can be renewed. */
  readonly renewed$?: Observable<MaybeToken> | undefined;
}

/** Creates a token source. Throws an `InputError` if the token is invalid. */
export function tokenSource(token: Token, scheduler: SchedulerLike): TokenSource {
  if (token === false) return { current$: directOf('') };
  if (typeof token !== 'function' && !plainObject.is(token)) {
    const problem = tokenProblem(token);
    if (problem)
      throw new InputError('token', 'a bearer token, a function, { get, renew }, or false', problem);
    return { current$: directOf(token as string) };
  }
  const shared = { scheduler, isCalling: false, lastToken: '' };
  const shareCalls = (name: string, call: () => unknown) => {
    const calls = new SharedCall(name, call, shared);
    return new Direct<MaybeToken>(observer => calls.follow(observer));
  };
  if (typeof token === 'function') return { current$: shareCalls('the token function', token) };

  const provider = token as TokenProvider;
  checkOptions(provider, { get: aFunction, renew: aFunction }, 'token', ['get', 'renew']);
  const current$ = shareCalls('token.get', () => provider.get());
  const renewed$ = shareCalls('token.renew', () => provider.renew()).pipe(
    // If `renew` gives nothing, `get` gives another token from now on.
    concatMap(value => (value === undefined ? current$ : directOf(value))),
  );
  return { current$, renewed$ };
}
