import { AsyncSubject, Observable, type Subscriber } from 'rxjs';
import type { TransportError } from '../error/index.js';

/** What all streams of a client hear of: that they should try now, and that the client is closed. */
export class ClientLife {
  // A Subject would make the stops of thousands of watches slow: its list of observers is searched each time.
  #wakes = new Set<() => void>();
  #ends: Set<() => void> | undefined = new Set();
  #closed$: AsyncSubject<void> | undefined;
  #dropsRequests = false;

  wake(): void {
    for (const wake of [...this.#wakes]) wake();
  }

  close(dropsRequests: boolean): void {
    const ends = this.#ends;
    if (!ends) return;
    this.#ends = undefined;
    this.#dropsRequests = dropsRequests;
    // Before the streams end: who follows this knows why they do.
    if (this.#closed$) emitOnce(this.#closed$);
    for (const end of ends) end();
  }

  /** Emits once the client is closed, even if it already is. */
  get closed$(): Observable<void> {
    if (this.#closed$) return this.#closed$;
    this.#closed$ = new AsyncSubject();
    if (!this.#ends) emitOnce(this.#closed$);
    return this.#closed$;
  }

  /** Emits what a source does, and when the client is told to try now. */
  wakes(source$: Observable<unknown>): Observable<unknown> {
    return new Observable(subscriber => {
      const wake = () => subscriber.next(undefined);
      this.#wakes.add(wake);
      subscriber.add(() => this.#wakes.delete(wake));
      // One that fails or completes ends nothing.
      subscriber.add(source$.subscribe({ next: value => subscriber.next(value), error: () => undefined }));
    });
  }

  /** A stream over time, until the client is closed: then it completes. */
  whileOpen<T>(source$: Observable<T>): Observable<T> {
    return this.#until(source$, subscriber => subscriber.complete());
  }

  /** What is asked once, until the client is closed: then it fails, or is dropped. */
  orFail<T>(source$: Observable<T>, error: () => TransportError): Observable<T> {
    return this.#until(source$, subscriber => {
      if (this.#dropsRequests) subscriber.unsubscribe();
      else subscriber.error(error());
    });
  }

  /** The source, until the client is closed: then, and whenever it is subscribed to later, it ends like this. */
  #until<T>(source$: Observable<T>, end: (subscriber: Subscriber<T>) => void): Observable<T> {
    return new Observable(subscriber => {
      const ends = this.#ends;
      if (!ends) return end(subscriber);
      const onClose = () => end(subscriber);
      ends.add(onClose);
      subscriber.add(() => ends.delete(onClose));
      subscriber.add(source$.subscribe(subscriber));
    });
  }
}

function emitOnce(subject: AsyncSubject<void>): void {
  subject.next();
  subject.complete();
}
