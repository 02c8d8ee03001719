import { defer, Observable, tap, timer, type SchedulerLike, type Subscription } from 'rxjs';
import { answerBehind, MAX_WAIT_MS, tryOr } from '../../../error/index.js';
import { Countdown } from '../limits/index.js';

/** How many slots are freed at once. */
const MAX_AT_ONCE = 64;

/** The pause after a 429 without a `Retry-After`, in ms. */
const DEFAULT_PAUSE_MS = 1_000;

/**
 * The calls that free slots. 64 are made at once, and none while the service limits the rate. The
 * others wait for their turn, the first ones first.
 */
export class SlotCalls {
  readonly #scheduler: SchedulerLike;
  readonly #waiting = new Set<() => void>();
  #running = 0;
  #isStarting = false;
  readonly #pause: Countdown;
  /** Runs until the pause is over, if calls wait for that. */
  #resumption: Subscription | undefined;

  constructor(scheduler: SchedulerLike) {
    this.#scheduler = scheduler;
    this.#pause = new Countdown(scheduler);
  }

  /** Makes a call when it is its turn. */
  run<T>(call: () => Observable<T>): Observable<T> {
    return new Observable(subscriber => {
      const start = () => {
        this.#running++;
        subscriber.add(() => {
          this.#running--;
          this.#startWaiting();
        });
        const error = (error: unknown) => this.#pauseAfter(error);
        defer(call).pipe(tap({ error })).subscribe(subscriber);
      };
      this.#waiting.add(start);
      subscriber.add(() => this.#waiting.delete(start));
      this.#startWaiting();
    });
  }

  #startWaiting(): void {
    // A call that ends at once would recurse, thousands deep after a restart.
    if (this.#isStarting) return;
    this.#isStarting = true;
    while (this.#running < MAX_AT_ONCE && this.#waiting.size > 0 && !this.#isPaused()) {
      const [start] = this.#waiting;
      this.#waiting.delete(start!);
      start!();
    }
    this.#isStarting = false;
  }

  #isPaused(): boolean {
    const wait = this.#pause.left;
    if (wait === 0) return false;
    this.#resumption ??= timer(wait, this.#scheduler).subscribe(() => {
      this.#resumption = undefined;
      this.#startWaiting();
    });
    return true;
  }

  #pauseAfter(error: unknown): void {
    const answer = tryOr(() => answerBehind(error), undefined);
    if (answer?.status !== 429) return;
    this.#pause.extend(Math.min(answer.retryAfter ?? DEFAULT_PAUSE_MS, MAX_WAIT_MS));
  }
}
