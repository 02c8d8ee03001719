import { Observable, type Subscriber } from 'rxjs';

/** What all streams of a client hear of: that they should try now, and that the client is closed. */
export class ClientLife {
  // A Subject would make the stops of thousands of watches slow: its list of observers is searched each time.
  #wakes = new Set<() => void>();
  #ends: Set<() => void> | undefined = new Set();

  wake(): void {
    for (const wake of [...this.#wakes]) wake();
  }

  close(): void {
    const ends = this.#ends;
    this.#ends = undefined;
    for (const end of ends ?? []) end();
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

  /** The source, until the client is closed: then, and whenever it is subscribed to later, it ends like this. */
  until<T>(source$: Observable<T>, end: (subscriber: Subscriber<T>) => void): Observable<T> {
    return new Observable(subscriber => {
      const ends = this.#ends;
      if (!ends) return end(subscriber);
      const onClose = () => end(subscriber);
      ends.add(onClose);
      subscriber.add(() => ends.delete(onClose));
      subscriber.add(source$.subscribe(subscriber));
    });
  }

  /** A stream over time, until the client is closed: then it completes. */
  whileOpen<T>(source$: Observable<T>): Observable<T> {
    return this.until(source$, subscriber => subscriber.complete());
  }
}
