import { Observable, type TimestampProvider } from 'rxjs';

/**
 * Lets so many watches begin at once, and each further one when the first request of another is on the wire. A worker that can, begins thousands
 * in seconds; one that is busy slows itself, instead of collapsing under all the answers.
 */
export class Starts {
  readonly #max: number;
  /** Those that wait, in the order in which they were asked for, and when that was. */
  readonly #waiting = new Map<() => void, number>();
  readonly #clock: TimestampProvider;
  #underWay = 0;

  constructor(max: number, clock: TimestampProvider) {
    this.#max = max;
    this.#clock = clock;
  }

  /** How many wait, and how long the first of them has, in ms. */
  get late(): { readonly waiting: number; readonly wait: number } {
    const now = this.#clock.now();
    const [first = now] = this.#waiting.values();
    return { waiting: this.#waiting.size, wait: now - first };
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
      this.#waiting.set(begin, this.#clock.now());
      subscriber.add(() => {
        this.#waiting.delete(begin);
        sent();
      });
      this.#beginNext();
    });
  }

  #beginNext(): void {
    for (const begin of this.#waiting.keys()) {
      if (this.#underWay >= this.#max) return;
      this.#waiting.delete(begin);
      this.#underWay++;
      begin();
    }
  }
}
