import {
  concatMap,
  from,
  Subscription,
  take,
  type Observable,
  type ObservableInput,
  type Observer,
  type SchedulerLike,
  type Unsubscribable,
} from 'rxjs';
import { Direct, directOf } from '../direct/index.js';
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

/** How long a failure is shared with later callers, in ms. */
const FAILURE_LASTS_MS = 1_000;

/** A token, or `null` or `undefined` if nobody is signed in. */
type MaybeToken = string | null | undefined;

/** Gives tokens to requests. Errors say why there is none, without what may be a token. */
export interface TokenSource {
  /** What `get` gives; an empty string if something else adds the token. */
  readonly current$: Observable<MaybeToken>;
  /** What `renew` gives. Absent if nothing can be renewed. */
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
    // If it gives nothing, it has changed what `get` gives.
    concatMap(value => (value === undefined ? current$ : directOf(value))),
  );
  return { current$, renewed$ };
}

/** What the calls of one provider share. */
interface ProviderState {
  readonly scheduler: SchedulerLike;
  /** Whether one of its functions is being called. */
  isCalling: boolean;
  /** What an error of the provider may quote. */
  lastToken: string;
}

/** A function of the provider. All who ask while it works wait for the same value. */
class SharedCall {
  readonly #name: string;
  readonly #call: () => unknown;
  readonly #provider: ProviderState;
  #waiting = new Set<Waiting>();
  /** What it works on. A promise goes on although nobody waits for it any more. */
  #work: Unsubscribable | undefined;
  #isPromise = false;
  #timer: Subscription | undefined;
  /** The last failure, while it is likely to be the same. */
  #failure: Error | undefined;

  constructor(name: string, call: () => unknown, provider: ProviderState) {
    this.#name = name;
    this.#call = call;
    this.#provider = provider;
  }

  follow(observer: Observer<MaybeToken>): Unsubscribable {
    const waiting = new Waiting(this, observer);
    if (this.#provider.isCalling) {
      observer.error(this.#failed('sent a request through its own client, which waits for it'));
    } else if (this.#failure) {
      observer.error(this.#failure);
    } else {
      this.#waiting.add(waiting);
      if (!this.#work) this.#begin();
    }
    return waiting;
  }

  leave(waiting: Waiting): void {
    if (this.#waiting.delete(waiting) && this.#waiting.size === 0 && !this.#isPromise) this.#stop();
  }

  #begin(): void {
    let given: unknown;
    this.#provider.isCalling = true;
    try {
      const call = this.#call;
      given = call();
    } catch (error) {
      return this.#fail(this.#thrown(error));
    } finally {
      this.#provider.isCalling = false;
    }
    if (observableInput.is(given)) this.#await(given as ObservableInput<unknown>);
    else this.#receive(given);
  }

  #await(given: ObservableInput<unknown>): void {
    const { scheduler } = this.#provider;
    this.#isPromise = 'then' in given;
    const work = new Subscription();
    this.#work = work;
    // Only the first end counts, and what was left may still emit.
    const isOpen = () => this.#work === work;
    this.#timer = scheduler.schedule(() => this.#fail(this.#failed(GAVE_NONE)), TIMEOUT_MS);
    const fail = (error: Error) => {
      if (isOpen()) this.#fail(error);
    };
    try {
      const values$ = from(given).pipe(take(1));
      work.add(
        values$.subscribe({
          next: value => {
            if (isOpen()) this.#receive(value);
          },
          error: (error: unknown) => fail(this.#thrown(error)),
          complete: () => fail(this.#failed('completed without a token')),
        }),
      );
    } catch (error) {
      fail(this.#thrown(error));
    }
  }

  #receive(value: unknown): void {
    const problem = value == null ? undefined : tokenProblem(value);
    if (problem) return this.#fail(this.#failed(`gave ${problem}`));
    if (value != null) this.#provider.lastToken = value as string;
    this.#settle(observer => {
      observer.next(value as MaybeToken);
      observer.complete();
    });
  }

  #fail(error: Error): void {
    this.#failure = error;
    this.#provider.scheduler.schedule(() => {
      this.#failure = undefined;
    }, FAILURE_LASTS_MS);
    this.#settle(observer => observer.error(error));
  }

  /** What is asked in response begins a new call. */
  #settle(tell: (observer: Observer<MaybeToken>) => void): void {
    const waiting = this.#waiting;
    this.#waiting = new Set();
    this.#stop();
    for (const each of waiting) each.settle(tell);
  }

  #stop(): void {
    this.#work?.unsubscribe();
    this.#timer?.unsubscribe();
    this.#work = undefined;
  }

  #thrown(error: unknown): Error {
    // The errors of this library contain no tokens.
    const cause = isOwnError(error) ? error : redactError(error, [this.#provider.lastToken]);
    return this.#failed(`failed: ${cause.name}: ${cause.message}`, cause);
  }

  #failed(how: string, cause?: Error): Error {
    return new Error(`nothing was sent: ${this.#name} ${how}`, cause && { cause });
  }
}

/** One who waits for a token. */
class Waiting implements Unsubscribable {
  readonly #call: SharedCall;
  readonly #observer: Observer<MaybeToken>;
  #isOver = false;

  constructor(call: SharedCall, observer: Observer<MaybeToken>) {
    this.#call = call;
    this.#observer = observer;
  }

  settle(tell: (observer: Observer<MaybeToken>) => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    tell(this.#observer);
  }

  unsubscribe(): void {
    this.#isOver = true;
    this.#call.leave(this);
  }
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
