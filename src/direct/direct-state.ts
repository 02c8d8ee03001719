import type { Observer, Unsubscribable } from 'rxjs';
import { DirectSubject } from './direct-subject.js';

/** Like a BehaviorSubject that never ends: emits its value to each observer at once, then each change. */
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
