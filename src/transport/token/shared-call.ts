import {
  defer,
  Subscription,
  take,
  type ObservableInput,
  type Observer,
  type SchedulerLike,
  type Unsubscribable,
} from 'rxjs';
import { describe, expectRejections, isOwnError, observableInput, redactError } from '../../error/index.js';

/** How long `get` and `renew` may take, in ms. */
const TIMEOUT_MS = 15_000;

/** How long a failure is shared with later callers, in ms. */
const FAILURE_LASTS_MS = 1_000;

/** A token, or `null` or `undefined` if nobody is signed in. */
export type MaybeToken = string | null | undefined;

/** The state that the calls of one provider share. */
interface ProviderState {
  readonly scheduler: SchedulerLike;
  /** Whether one of the provider's functions is being called. */
  isCalling: boolean;
  /** The last token, which an error of the provider may quote. */
  lastToken: string;
}

/** A function of the provider. All callers that ask while it works wait for the same value. */
export class SharedCall {
  readonly #name: string;
  readonly #call: () => unknown;
  readonly #provider: ProviderState;
  #waiting = new Set<Waiting>();
  /** The input that the call waits for. A promise goes on although no caller waits for it. */
  #work: Unsubscribable | undefined;
  #isPromise = false;
  #timer: Subscription | undefined;
  /** The last failure, for as long as the next one is likely to be the same. */
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
    // Only the first end counts. An input that was left may still emit.
    const isOpen = () => this.#work === work;
    this.#timer = scheduler.schedule(() => this.#fail(this.#failed(GAVE_NONE)), TIMEOUT_MS);
    const fail = (error: Error) => {
      if (isOpen()) this.#fail(error);
    };
    // A value that is no input after all fails as a stream does.
    const values$ = defer(() => given).pipe(take(1));
    work.add(
      values$.subscribe({
        next: value => {
          if (isOpen()) this.#receive(value);
        },
        error: (error: unknown) => fail(this.#thrown(error)),
        complete: () => fail(this.#failed('completed without a token')),
      }),
    );
  }

  #receive(value: unknown): void {
    const problem = value == null ? undefined : tokenProblem(value);
    expectRejections(value);
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

  /** Settles all callers. A caller that asks again in response begins a new call. */
  #settle(tell: (observer: Observer<MaybeToken>) => void): void {
    const waiting = this.#waiting;
    this.#waiting = new Set();
    this.#stop();
    for (const caller of waiting) caller.settle(tell);
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

/** A caller that waits for a token. */
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

const GAVE_NONE = `gave none within ${TIMEOUT_MS} ms (does it use this client?)`;

/**
 * Describes the problem of a bearer token without quoting it. `undefined` if the token is valid.
 */
export function tokenProblem(token: unknown): string | undefined {
  if (typeof token !== 'string') return describe(token);
  if (token === '') return 'an empty string';
  if (/^Bearer\s/i.test(token)) return "a string that begins with 'Bearer', which is added to it";
  // A header cannot carry anything else, and the platform's error for it would quote the token.
  if (!/^[\x21-\x7e]+$/.test(token)) return 'a string with spaces, line breaks or letters beyond ASCII';
  return undefined;
}
