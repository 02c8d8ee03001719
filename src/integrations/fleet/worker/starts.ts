import { Observable } from 'rxjs';

/**
 * Lets so many watches begin at once, and each further one when the first request of another is on the wire. A worker that can, begins thousands
 * in seconds; one that is busy slows itself, instead of collapsing under all the answers.
 */
export class Starts {
  readonly #max: number;
  readonly #waiting = new Set<() => void>();
  #underWay = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Begins a watch when it is its turn. `watch` gets a function that says that its first request is on the wire, or may have to wait for long. */
  turn<T>(watch: (sent: () => void) => Observable<T>): Observable<T> {
    return new Observable(subscriber => {
      let isUnderWay = false;
      const sent = () => {
        if (!isUnderWay) return;
        isUnderWay = false;
        this.#underWay--;
        this.#beginNext();
      };
      const begin = () => {
        isUnderWay = true;
        subscriber.add(watch(sent).subscribe(subscriber));
      };
      this.#waiting.add(begin);
      subscriber.add(() => {
        this.#waiting.delete(begin);
        sent();
      });
      this.#beginNext();
    });
  }

  #beginNext(): void {
    for (const begin of this.#waiting) {
      if (this.#underWay >= this.#max) return;
      this.#waiting.delete(begin);
      this.#underWay++;
      begin();
    }
  }
}
