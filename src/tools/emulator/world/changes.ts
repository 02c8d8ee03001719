import { Observable, type Subscriber } from 'rxjs';

/**
 * The watches that wait for a change, by the ids of their identities and groups. A change wakes
 * only the watches of its id, even if thousands wait.
 */
export class Changes {
  readonly #waiting = new Map<string, Set<Subscriber<void>>>();

  /** Wakes the watches of an identity or group that has changed. */
  announce(id: string): void {
    // A copy, because a listener may wait again at once.
    for (const subscriber of [...(this.#waiting.get(id) ?? [])]) subscriber.next();
  }

  /** Emits when one of these identities and groups has changed. */
  of(ids: Iterable<string>): Observable<void> {
    return new Observable(subscriber => {
      const waiting = [...ids].map(id => {
        const others = this.#waiting.get(id) ?? new Set();
        this.#waiting.set(id, others.add(subscriber));
        return [id, others] as const;
      });
      return () => {
        for (const [id, others] of waiting) {
          others.delete(subscriber);
          if (others.size === 0 && this.#waiting.get(id) === others) this.#waiting.delete(id);
        }
      };
    });
  }
}
