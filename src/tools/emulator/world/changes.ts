import { Observable, type Subscriber } from 'rxjs';

/**
 * Who waits for which identities and groups to change. A change wakes only those, of however many
 * thousands that wait.
 */
export class Changes {
  readonly #waiting = new Map<string, Set<Subscriber<void>>>();

  /** An identity or a group has changed. */
  announce(id: string): void {
    // A copy: a listener may wait again at once.
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
