import {
  AsyncSubject,
  catchError,
  defer,
  merge,
  NEVER,
  Observable,
  type ObservableInput,
  type Observer,
  type Subscriber,
} from 'rxjs';
import { Direct, DirectOperator, DirectSubject, follow, onlyNext } from '../direct/index.js';
import type { TransportError } from '../error/index.js';

/** Passes a value of a source on, or not. */
type Forward<T, R> = (value: T, subscriber: Subscriber<R>) => void;

/**
 * What all streams of a client hear of: that they should try now, and that the client is closed.
 */
export class ClientLife {
  /** Emits when the client is told to try now. */
  readonly tryNow$ = new DirectSubject<void>();
  #ends: Set<Ending | WeakRef<Ending>> | undefined = new Set();
  #sweepAt = 64;
  #closed$: AsyncSubject<void> | undefined;
  #dropsRequests = false;

  wake(): void {
    this.tryNow$.next();
  }

  /**
   * Emits what a source of wakes does, and when the client is told to try now. One that fails ends
   * nothing.
   */
  wakes(wake$: ObservableInput<unknown>): Observable<unknown> {
    return merge(defer(() => wake$).pipe(catchError(() => NEVER)), this.tryNow$);
  }

  close(dropsRequests: boolean): void {
    const ends = this.#ends;
    if (!ends) return;
    this.#ends = undefined;
    this.#dropsRequests = dropsRequests;
    // Before the streams end: who follows this knows why they do.
    if (this.#closed$) emitOnce(this.#closed$);
    for (const end of ends) (end instanceof WeakRef ? end.deref() : end)?.close(dropsRequests);
  }

  /** Emits once the client is closed, even if it already is. */
  get closed$(): Observable<void> {
    if (this.#closed$) return this.#closed$;
    this.#closed$ = new AsyncSubject();
    if (!this.#ends) emitOnce(this.#closed$);
    return this.#closed$;
  }

  /** A stream over time, until the client is closed: then it completes. */
  whileOpen<T>(source$: Observable<T>): Observable<T> {
    return this.#until(source$, passOn, complete);
  }

  /** The same; `forward` decides what of it is emitted, without a subscriber of its own. */
  forwardedWhileOpen<T, R>(source$: Observable<T>, forward: Forward<T, R>): Observable<R> {
    return this.#until(source$, forward, complete);
  }

  /**
   * The same. While `isActive$` says that nobody needs it, this holds it no more than who made it
   * does.
   */
  heldWhileActive<T>(source$: Observable<T>, isActive$: Observable<boolean>): Observable<T> {
    return this.#until(source$, passOn, complete, isActive$);
  }

  /** Several requests in a row, until the client is closed: then they fail, or are dropped. */
  orFail<T>(source$: Observable<T>, error: () => TransportError): Observable<T> {
    return this.#until(source$, passOn, (subscriber, dropsRequests) => {
      if (dropsRequests) subscriber.unsubscribe();
      else subscriber.error(error());
    });
  }

  /** One request, until the client is closed: then it fails, or is dropped. */
  requestOrFail<T>(send: () => Observable<T>, error: () => TransportError): Observable<T> {
    return new Direct(observer => {
      const request = new RequestWhileOpen(observer, this.#ends, error);
      if (this.#ends) request.begin(send);
      else request.close(this.#dropsRequests);
      return request;
    });
  }

  /**
   * The source, until the client is closed: then, and whenever it is subscribed to later, it ends
   * like this.
   */
  #until<T, R>(
    source$: Observable<T>,
    forward: Forward<T, R>,
    end: End<R>,
    isActive$?: Observable<boolean>,
  ): Observable<R> {
    return new Observable(subscriber => {
      const ends = this.#ends;
      if (!ends) return end(subscriber, this.#dropsRequests);
      const stream = new StreamWhileOpen(ends, subscriber, forward, end);
      subscriber.add(stream);
      if (isActive$) {
        const hold = (isActive: boolean) => {
          stream.hold(isActive);
          if (ends.size > this.#sweepAt) this.#sweep(ends);
        };
        subscriber.add(follow(isActive$, onlyNext(hold)));
      }
      stream.follow(source$);
    });
  }

  /** Not by a FinalizationRegistry, which React Native lacks. */
  #sweep(ends: Set<Ending | WeakRef<Ending>>): void {
    for (const end of ends) if (end instanceof WeakRef && !end.deref()) ends.delete(end);
    this.#sweepAt = 2 * ends.size + 64;
  }
}

/** What ends with the client. */
interface Ending {
  close(dropsRequests: boolean): void;
}

/** How a stream ends with its client. */
type End<R> = (subscriber: Subscriber<R>, dropsRequests: boolean) => void;

/** A stream that lasts as long as its client. */
class StreamWhileOpen<T, R> implements Observer<T>, Ending {
  readonly #ends: Set<Ending | WeakRef<Ending>>;
  readonly #subscriber: Subscriber<R>;
  readonly #forward: Forward<T, R>;
  readonly #end: End<R>;
  #held: Ending | WeakRef<Ending> = this;
  #source: Subscriber<T> | undefined;

  constructor(
    ends: Set<Ending | WeakRef<Ending>>,
    subscriber: Subscriber<R>,
    forward: Forward<T, R>,
    end: End<R>,
  ) {
    this.#ends = ends;
    this.#subscriber = subscriber;
    this.#forward = forward;
    this.#end = end;
    ends.add(this);
  }

  follow(source$: Observable<T>): void {
    // The subscriber is known before the source is subscribed to: it may emit at once, and be left.
    new Observable<T>(source => {
      this.#source = source;
      source$.subscribe(source);
    }).subscribe(this);
  }

  next(value: T): void {
    this.#forward(value, this.#subscriber);
  }

  error(error: unknown): void {
    this.#subscriber.error(error);
  }

  complete(): void {
    this.#subscriber.complete();
  }

  /** Keeps it alive by the client, or only by who uses it. */
  hold(isActive: boolean): void {
    this.#ends.delete(this.#held);
    this.#held = isActive ? this : new WeakRef<Ending>(this);
    this.#ends.add(this.#held);
  }

  close(dropsRequests: boolean): void {
    // First: who hears of the end may subscribe again, and nothing must be sent.
    this.#source?.unsubscribe();
    this.#end(this.#subscriber, dropsRequests);
  }

  unsubscribe(): void {
    this.#ends.delete(this.#held);
    this.#source?.unsubscribe();
  }
}

/** A request that lasts as long as its client. */
class RequestWhileOpen<T> extends DirectOperator<T> implements Ending {
  readonly #ends: Set<unknown> | undefined;
  readonly #error: () => TransportError;

  constructor(observer: Observer<T>, ends: Set<unknown> | undefined, error: () => TransportError) {
    super(observer);
    this.#ends = ends;
    this.#error = error;
    ends?.add(this);
  }

  next(value: T): void {
    this.emit(value);
  }

  close(dropsRequests: boolean): void {
    if (dropsRequests) this.unsubscribe();
    else this.error(this.#error());
  }

  override unsubscribe(): void {
    super.unsubscribe();
    this.#ends?.delete(this);
  }
}

function passOn<T>(value: T, subscriber: Subscriber<T>): void {
  subscriber.next(value);
}

function complete(subscriber: Subscriber<never>): void {
  subscriber.complete();
}

function emitOnce(subject: AsyncSubject<void>): void {
  subject.next();
  subject.complete();
}
