import { BehaviorSubject, filter, ignoreElements, Observable, take } from 'rxjs';

/** Who takes the answers of a watch. While there is nobody, answers are held. */
export interface Audience<A> {
  /** Whether there is anybody: now, and whenever that changes. */
  readonly isPresent$: BehaviorSubject<boolean>;
  /** Splits an answer into the parts that are delivered one after the other, since the last one may leave in between. */
  readonly split: (answer: A) => readonly A[];
}

/** Completes when there is somebody. */
export function untilPresent({ isPresent$ }: Pick<Audience<never>, 'isPresent$'>): Observable<never> {
  return isPresent$.pipe(filter(Boolean), take(1), ignoreElements());
}

/**
 * Emits the parts of an answer, each as soon as there is somebody to take it, and completes after the last one. If it is
 * unsubscribed from before that, `onRest` is called with the number of parts that have been emitted.
 */
export function deliver<A>(
  answer: A,
  { isPresent$, split }: Audience<A>,
  onRest: (count: number) => void,
): Observable<A> {
  return new Observable(subscriber => {
    const parts = split(answer);
    let count = 0;
    let isEmitting = false;
    const emit = () => {
      // Whoever takes a part may leave and come back meanwhile.
      if (isEmitting) return;
      isEmitting = true;
      while (count < parts.length && isPresent$.value && !subscriber.closed) subscriber.next(parts[count++]!);
      isEmitting = false;
      if (count === parts.length) subscriber.complete();
    };
    subscriber.add(isPresent$.subscribe(emit));
    return () => {
      if (count < parts.length) onRest(count);
    };
  });
}
