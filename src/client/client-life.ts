import { AsyncSubject, identity, map, Observable, type Subscriber } from 'rxjs';
import type { TransportError } from '../error/index.js';

/** What all streams of a client hear of: that they should try now, and that the client is closed. */
export class ClientLife {
  // A Subject would make the stops of thousands of watches slow: its list of observers is searched each time.
  #wakes = new Set<() => void>();
  #ends: Set<End | WeakRef<End>> | undefined = new Set();
  #sweepAt = 64;
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
    for (const end of ends) (typeof end === 'function' ? end : end.deref())?.();
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

  /**
   * A stream over time, until the client is closed: then it completes. While `isActive$` says that nobody needs it, this holds it no more than
   * who made it does.
   */
  whileOpen<T>(source$: Observable<T>, isActive$?: Observable<boolean>): Observable<T> {
    return this.#until(source$, subscriber => subscriber.complete(), isActive$);
  }

  /** What is asked once, until the client is closed: then it fails, or is dropped. */
  orFail<T>(source$: Observable<T>, error: () => TransportError): Observable<T> {
    return this.#until(source$, subscriber => {
      if (this.#dropsRequests) subscriber.unsubscribe();
      else subscriber.error(error());
    });
  }

  /** The source, until the client is closed: then, and whenever it is subscribed to later, it ends like this. */
  #until<T>(
    source$: Observable<T>,
    end: (subscriber: Subscriber<T>) => void,
    isActive$?: Observable<boolean>,
  ): Observable<T> {
    return new Observable(subscriber => {
      const ends = this.#ends;
      if (!ends) return end(subscriber);
      let source: Subscriber<T> | undefined;
      const captured$ = new Observable<T>(inner => {
        source = inner;
        source$.subscribe(inner);
      });
      const onClose = () => {
        // First: who hears of the end may subscribe again, and nothing must be sent.
        source?.unsubscribe();
        end(subscriber);
      };
      let held: End | WeakRef<End> = onClose;
      ends.add(held);
      subscriber.add(() => ends.delete(held));
      const hold = (isActive: boolean) => {
        ends.delete(held);
        ends.add((held = isActive ? onClose : new WeakRef(onClose)));
        if (ends.size > this.#sweepAt) this.#sweep(ends);
      };
      if (isActive$) subscriber.add(isActive$.subscribe(hold));
      // Through an operator, so that the source has a subscriber of its own.
      captured$.pipe(map(identity)).subscribe(subscriber);
    });
  }

  /** Not by a FinalizationRegistry, which React Native lacks. */
  #sweep(ends: Set<End | WeakRef<End>>): void {
    for (const end of ends) if (typeof end !== 'function' && !end.deref()) ends.delete(end);
    this.#sweepAt = 2 * ends.size + 64;
  }
}

type End = () => void;

function emitOnce(subject: AsyncSubject<void>): void {
  subject.next();
  subject.complete();
}
