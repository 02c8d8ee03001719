import {
  from,
  Observable,
  Subscription,
  type ObservableInput,
  type Observer,
  type Unsubscribable,
} from 'rxjs';

/**
 * An Observable that an observer of this library can follow without a subscriber in between. A held
 * poll passes through many layers, and a subscriber for each of them would take more memory than
 * all the rest. Piped through an operator of RxJS, it becomes an ordinary Observable again.
 *
 * A subscriber sees to three things, which the function that makes a `Direct` has to promise
 * instead:
 * - Nothing comes after `error` or `complete`.
 * - Nothing comes after what it returned has been unsubscribed from.
 * - Unsubscribing a second time, or after the end, does nothing.
 *
 * It may emit, end or throw before it returns, as the function of any Observable may.
 */
export class Direct<T> extends Observable<T> {
  constructor(readonly follow: (observer: Observer<T>) => Unsubscribable) {
    super(follow);
  }
}

/**
 * Subscribes an observer. If the source is {@link Direct}, there is no subscriber in between. An
 * observer follows one source, once. Throws what the function of a `Direct` throws.
 */
export function follow<T>(source$: ObservableInput<T>, observer: Observer<T>): Unsubscribable {
  if (source$ instanceof Direct) return (source$ as Direct<T>).follow(observer);
  return from(source$).subscribe(observer);
}

/** Emits one value at once, and completes. */
export function directOf<T>(value: T): Direct<T> {
  return new Direct(observer => {
    observer.next(value);
    observer.complete();
    return Subscription.EMPTY;
  });
}

/** An observer of a source whose end does not matter. */
export function onlyNext<T>(next: (value: T) => void): Observer<T> {
  return { next, error: doNothing, complete: doNothing };
}

const doNothing = () => undefined;

/**
 * An operator on a source of one value, such as a request, as one object. It observes the source,
 * and its observer unsubscribes from it. A subclass decides in `next` what becomes of the value,
 * and perhaps what becomes of the end.
 *
 * It keeps the promises of a `Direct`, whatever the source does. A value that comes late, twice, or
 * after an unsubscription is not passed on.
 *
 * @example
 * new Direct(observer => new Doubled(observer).begin(() => source$));
 */
export abstract class DirectOperator<In, Out = In> implements Observer<In>, Unsubscribable {
  readonly #observer: Observer<Out>;
  #isOver = false;
  #source: Unsubscribable | undefined;

  constructor(observer: Observer<Out>) {
    this.#observer = observer;
  }

  /** Whether the operator has ended, or has been unsubscribed from. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Begins to follow a source. The operator may end, or throw, before this returns. */
  begin(source: () => Observable<In>): this {
    try {
      const following = follow(source(), this);
      if (this.#isOver) following.unsubscribe();
      else this.#source = following;
    } catch (error) {
      this.error(error);
    }
    return this;
  }

  /**
   * Called with each value of the source. It has to ignore values that come after the end, as
   * `emit` does.
   */
  abstract next(value: In): void;

  /** Passes the one value on, and completes. */
  protected emit(value: Out): void {
    if (this.#isOver) return;
    this.unsubscribe();
    this.#observer.next(value);
    this.#observer.complete();
  }

  error(error: unknown): void {
    if (this.#isOver) return;
    this.unsubscribe();
    this.#observer.error(error);
  }

  complete(): void {
    if (this.#isOver) return;
    this.unsubscribe();
    this.#observer.complete();
  }

  /** Lets go of the source. A subclass that has more to let go of overrides it. */
  unsubscribe(): void {
    this.#isOver = true;
    this.#source?.unsubscribe();
  }
}

/**
 * Like a Subject that never ends. Leaving a Subject takes a search through all of its observers.
 * Leaving this one costs the same for any number of observers.
 */
export class DirectSubject<T> extends Direct<T> {
  #members: Set<Membership<T>> | undefined;
  readonly #connect: (() => Unsubscribable) | undefined;
  #connection: Unsubscribable | undefined;

  /**
   * `connect` is called when the first observer has come. The connection that it returns ends when
   * the last observer leaves.
   */
  constructor(connect?: () => Unsubscribable) {
    super(observer => this.join(observer));
    this.#connect = connect;
  }

  next(value: T): void {
    const members = this.#members;
    if (!members) return;
    // An observer that leaves during the emission gets nothing any more.
    for (const member of [...members]) {
      if (members.has(member)) member.observer.next(value);
    }
  }

  leave(member: Membership<T>): void {
    if (!this.#members?.delete(member) || this.#members.size > 0) return;
    this.#members = undefined;
    this.#connection?.unsubscribe();
    this.#connection = undefined;
  }

  protected join(observer: Observer<T>): Unsubscribable {
    const member = new Membership(this, observer);
    const isFirst = this.#members === undefined;
    this.#members ??= new Set();
    this.#members.add(member);
    if (isFirst && this.#connect) this.#keep(this.#connect());
    return member;
  }

  /** Keeps the connection, unless a value that it emitted at once made the only observer leave. */
  #keep(connection: Unsubscribable): void {
    if (this.#members) this.#connection = connection;
    else connection.unsubscribe();
  }
}

/** An object takes less than a closure, and a process may hold thousands of watches. */
class Membership<T> implements Unsubscribable {
  readonly #subject: DirectSubject<T>;
  readonly observer: Observer<T>;

  constructor(subject: DirectSubject<T>, observer: Observer<T>) {
    this.#subject = subject;
    this.observer = observer;
  }

  unsubscribe(): void {
    this.#subject.leave(this);
  }
}

/**
 * Like a BehaviorSubject that never ends. It emits its value to each observer at once, then each
 * change.
 */
export class DirectState<T> extends DirectSubject<T> {
  #value: T;

  constructor(value: T) {
    super();
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  override next(value: T): void {
    this.#value = value;
    super.next(value);
  }

  protected override join(observer: Observer<T>): Unsubscribable {
    const membership = super.join(observer);
    observer.next(this.#value);
    return membership;
  }
}
