import {
  AsyncSubject,
  identity,
  map,
  Observable,
  type OperatorFunction,
  type Subscriber,
  type Unsubscribable,
} from 'rxjs';
import { DirectSubject } from '../direct/index.js';
import type { TransportError } from '../error/index.js';

/** What all streams of a client hear of: that they should try now, and that the client is closed. */
export class ClientLife {
  /** Emits when the client is told to try now. */
  readonly tryNow$ = new DirectSubject<void>();
  #ends: Ends | undefined = new Set();
  #sweepAt = 64;
  #closed$: AsyncSubject<void> | undefined;
  #dropsRequests = false;

  wake(): void {
    this.tryNow$.next();
  }

  close(dropsRequests: boolean): void {
    const ends = this.#ends;
    if (!ends) return;
    this.#ends = undefined;
    this.#dropsRequests = dropsRequests;
    // Before the streams end: who follows this knows why they do.
    if (this.#closed$) emitOnce(this.#closed$);
    for (const end of ends) (end instanceof Lasting ? end : end.deref())?.close();
  }

  /** Emits once the client is closed, even if it already is. */
  get closed$(): Observable<void> {
    if (this.#closed$) return this.#closed$;
    this.#closed$ = new AsyncSubject();
    if (!this.#ends) emitOnce(this.#closed$);
    return this.#closed$;
  }

  /**
   * A stream over time, until the client is closed: then it completes. While `isActive$` says that nobody needs it, this holds it no more than
   * who made it does.
   */
  whileOpen<T>(source$: Observable<T>, isActive$?: Observable<boolean>): Observable<T> {
    return this.#until(source$, map(identity<T>), subscriber => subscriber.complete(), isActive$);
  }

  /** What an operator makes of a stream over time, until the client is closed. Its subscriber is the only one. */
  pipedWhileOpen<T, R>(source$: Observable<T>, operator: OperatorFunction<T, R>): Observable<R> {
    return this.#until(source$, operator, subscriber => subscriber.complete());
  }

  /** What is asked once, until the client is closed: then it fails, or is dropped. */
  orFail<T>(source$: Observable<T>, error: () => TransportError): Observable<T> {
    return this.#until(source$, map(identity<T>), subscriber => {
      if (this.#dropsRequests) subscriber.unsubscribe();
      else subscriber.error(error());
    });
  }

  /** The source, until the client is closed: then, and whenever it is subscribed to later, it ends like this. */
  #until<T, R>(
    source$: Observable<T>,
    operator: OperatorFunction<T, R>,
    end: (subscriber: Subscriber<R>) => void,
    isActive$?: Observable<boolean>,
  ): Observable<R> {
    return new Observable(subscriber => {
      const ends = this.#ends;
      if (!ends) return end(subscriber);
      const lasting = new Lasting<T, R>(ends, subscriber, end);
      subscriber.add(lasting);
      const hold = (isActive: boolean) => {
        lasting.hold(isActive);
        if (ends.size > this.#sweepAt) this.#sweep(ends);
      };
      if (isActive$) subscriber.add(isActive$.subscribe(hold));
      // Through an operator, so that the source has a subscriber of its own.
      lasting.captured(source$).pipe(operator).subscribe(subscriber);
    });
  }

  /** Not by a FinalizationRegistry, which React Native lacks. */
  #sweep(ends: Ends): void {
    for (const end of ends) if (!(end instanceof Lasting) && !end.deref()) ends.delete(end);
    this.#sweepAt = 2 * ends.size + 64;
  }
}

type Ends = Set<Lasting<never, never> | WeakRef<Lasting<never, never>>>;

/** A stream that lasts as long as its client. */
class Lasting<T, R> implements Unsubscribable {
  #held: Lasting<T, R> | WeakRef<Lasting<T, R>> = this;
  #source: Subscriber<T> | undefined;

  constructor(
    readonly ends: Set<unknown>,
    readonly subscriber: Subscriber<R>,
    readonly end: (subscriber: Subscriber<R>) => void,
  ) {
    ends.add(this);
  }

  captured(source$: Observable<T>): Observable<T> {
    return new Observable(subscriber => {
      this.#source = subscriber;
      source$.subscribe(subscriber);
    });
  }

  hold(isActive: boolean): void {
    this.unsubscribe();
    this.#held = isActive ? this : new WeakRef(this);
    this.ends.add(this.#held);
  }

  close(): void {
    // First: who hears of the end may subscribe again, and nothing must be sent.
    this.#source?.unsubscribe();
    this.end(this.subscriber);
  }

  unsubscribe(): void {
    this.ends.delete(this.#held);
  }
}

function emitOnce(subject: AsyncSubject<void>): void {
  subject.next();
  subject.complete();
}
