import type { Observable, Observer, Unsubscribable } from 'rxjs';
import { follow } from './direct.js';

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
