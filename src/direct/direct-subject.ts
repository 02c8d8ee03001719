import type { Observer, Unsubscribable } from 'rxjs';
import { Direct } from './direct.js';

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
