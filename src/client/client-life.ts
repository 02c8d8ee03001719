import {
  AsyncSubject,
  catchError,
  merge,
  NEVER,
  Observable,
  type ObservableInput,
  type Observer,
  type Subscriber,
} from 'rxjs';
import { Direct, DirectOperator, DirectSubject, follow, onlyNext } from '../direct/index.js';
import type { Endpoint } from '../endpoint/index.js';
import { TransportError } from '../error/index.js';
import { flattened } from '../stream/index.js';

/** Decides whether a value of a source is passed on, and in which form. */
type Forward<T, R> = (value: T, subscriber: Subscriber<R>) => void;

/** What all streams of a client react to: `wake()` and `close()`. */
export class ClientLife {
  /** Emits when `wake()` is called. */
  readonly tryNow$ = new DirectSubject<void>();
  readonly #renders: boolean;
  #ends: Endings | undefined = new Set();
  #sweepAt = 64;
  #closed$: AsyncSubject<void> | undefined;
  #dropsRequests: boolean;

  constructor(renders: boolean) {
    this.#renders = renders;
    this.#dropsRequests = renders;
  }

  wake(): void {
    this.tryNow$.next();
  }

  /**
   * Emits with a source of wakes, and when `wake()` is called. If the source fails, only its own
   * wakes end.
   */
  wakes(wake$: ObservableInput<unknown>): Observable<unknown> {
    return merge(flattened(wake$).pipe(catchError(() => NEVER)), this.tryNow$);
  }

  close(dropsRequests: boolean): void {
    const ends = this.#ends;
    if (!ends) return;
    this.#ends = undefined;
    this.#dropsRequests ||= dropsRequests;
    // This comes before the streams end, so that a subscriber of it knows why they do.
    if (this.#closed$) emitOnce(this.#closed$);
    for (const end of ends) {
      const ending = end instanceof WeakRef ? end.deref() : end;
      ending?.close(this.#dropsRequests);
    }
  }

  /** Emits once the client is closed, even if it already is. */
  get closed$(): Observable<void> {
    if (this.#closed$) return this.#closed$;
    this.#closed$ = new AsyncSubject();
    if (!this.#ends) emitOnce(this.#closed$);
    return this.#closed$;
  }

  /** A stream over time. It completes when the client is closed. */
  whileOpen<T>(source$: Observable<T>): Observable<T> {
    return this.#until(source$, passOn, complete);
  }

  /** Like `whileOpen`. `forward` decides which values are emitted, without a further subscriber. */
  forwardedWhileOpen<T, R>(source$: Observable<T>, forward: Forward<T, R>): Observable<R> {
    return this.#until(source$, forward, complete);
  }

  /**
   * Like `whileOpen`. While the last value of `isActive$` is false, the client does not keep the
   * stream in memory.
   */
  heldWhileActive<T>(source$: Observable<T>, isActive$: Observable<boolean>): Observable<T> {
    return this.#until(source$, passOn, complete, isActive$);
  }

  /** Pages. When the client is closed, even between two of them, they fail or are dropped. */
  pagesWhileOpen<T>(
    page$: Observable<T>,
    { method, path }: Pick<Endpoint, 'method' | 'path'>,
  ): Observable<T> {
    return this.#until(page$, passOn, (subscriber, dropsRequests) => {
      if (dropsRequests) subscriber.unsubscribe();
      else
        subscriber.error(new TransportError('client_closed', 'the client is closed', { method, url: path }));
    });
  }

  /** One request. When the client is closed, it fails or is dropped. */
  requestWhileOpen<T>(send: () => Observable<T>, error: () => TransportError): Observable<T> {
    return new Direct(observer => {
      const request = new RequestWhileOpen(observer, this.#ends, error);
      if (this.#ends) request.begin(send);
      else request.close(this.#dropsRequests);
      return request;
    });
  }

  /**
   * The source until the client is closed. Then `end` ends it, and also each later subscription.
   * While rendering it is dropped, since an end that nobody handles would end the server.
   */
  #until<T, R>(
    source$: Observable<T>,
    forward: Forward<T, R>,
    end: End<R>,
    isActive$?: Observable<boolean>,
  ): Observable<R> {
    const endOrDrop: End<R> = this.#renders ? subscriber => subscriber.unsubscribe() : end;
    return new Observable(subscriber => {
      const ends = this.#ends;
      if (!ends) return endOrDrop(subscriber, this.#dropsRequests);
      const stream = new StreamWhileOpen(ends, subscriber, forward, endOrDrop);
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

  /** Removes the streams that are gone. Not by a FinalizationRegistry, which React Native lacks. */
  #sweep(ends: Endings): void {
    for (const end of ends) {
      if (end instanceof WeakRef && !end.deref()) ends.delete(end);
    }
    this.#sweepAt = 2 * ends.size + 64;
  }
}

/** Those that end with the client. Some of them are not kept in memory. */
type Endings = Set<Ending | WeakRef<Ending>>;

/** A stream or a request that ends with the client. */
interface Ending {
  close(dropsRequests: boolean): void;
}

/** How a stream ends with its client. */
type End<R> = (subscriber: Subscriber<R>, dropsRequests: boolean) => void;

/** A stream that lasts as long as its client. */
class StreamWhileOpen<T, R> implements Observer<T>, Ending {
  readonly #ends: Endings;
  readonly #subscriber: Subscriber<R>;
  readonly #forward: Forward<T, R>;
  readonly #end: End<R>;
  #held: Ending | WeakRef<Ending> = this;
  #source: Subscriber<T> | undefined;

  constructor(ends: Endings, subscriber: Subscriber<R>, forward: Forward<T, R>, end: End<R>) {
    this.#ends = ends;
    this.#subscriber = subscriber;
    this.#forward = forward;
    this.#end = end;
    ends.add(this);
  }

  follow(source$: Observable<T>): void {
    // The subscriber is known before the source is subscribed to, since the source may emit at
    // once, and be left.
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

  /** Lets the client keep the stream in memory, or only its users. */
  hold(isActive: boolean): void {
    this.#ends.delete(this.#held);
    this.#held = isActive ? this : new WeakRef<Ending>(this);
    this.#ends.add(this.#held);
  }

  close(dropsRequests: boolean): void {
    // The source ends first. A subscriber may subscribe again when it gets the end, and nothing
    // must be sent then.
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
