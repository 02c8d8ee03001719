import type { Observer, Unsubscribable } from 'rxjs';
import { Direct } from './direct.js';

/**
 * Like a Subject that never ends. To leave a Subject takes a search through all of its observers; to
 * leave this one costs the same, however many there are.
 */
export class DirectSubject<T> extends Direct<T> {
  readonly #observers = new Set<Observer<T>>();
  #connection: Unsubscribable | undefined;

  /** `connect` is called when the first observer has come; what it returns ends when the last one leaves. */
  constructor(connect?: () => Unsubscribable) {
    super(observer => {
      this.#observers.add(observer);
      if (this.#observers.size === 1 && connect) this.#connect(connect);
      return new Membership(this, observer);
    });
  }

  next(value: T): void {
    // Who leaves during the emission gets nothing any more.
    for (const observer of [...this.#observers]) if (this.#observers.has(observer)) observer.next(value);
  }

  #connect(connect: () => Unsubscribable): void {
    const connection = connect();
    // What it emits at once may make the only observer leave.
    if (this.#observers.size > 0) this.#connection = connection;
    else connection.unsubscribe();
  }

  leave(observer: Observer<T>): void {
    this.#observers.delete(observer);
    if (this.#observers.size > 0) return;
    this.#connection?.unsubscribe();
    this.#connection = undefined;
  }
}

/** An object takes less than a closure, and a process may hold thousands of watches. */
class Membership<T> implements Unsubscribable {
  readonly #subject: DirectSubject<T>;
  readonly #observer: Observer<T>;

  constructor(subject: DirectSubject<T>, observer: Observer<T>) {
    this.#subject = subject;
    this.#observer = observer;
  }

  unsubscribe(): void {
    this.#subject.leave(this.#observer);
  }
}
