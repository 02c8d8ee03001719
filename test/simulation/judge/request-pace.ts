import type { JournalEntry } from '../world/journal.js';
import type { Violation } from './violation.js';

/** The service is polled at most once in this time, in ms, if nothing comes of it. */
const MIN_INTERVAL = 1_000;

/** So many polls may be sent without waiting: the first, and a burst of 3. */
const BURST = 4;

/** `Retry-After` may be a date, which has only seconds. */
const ROUNDING = 1_000;

/**
 * Judges the pace of the requests (law 6), and whether the service was left alone for as long as it
 * asked (law 7).
 */
export class RequestPace {
  readonly violations: Violation[] = [];
  /** Whether news counts only when it has been acknowledged. */
  readonly #acks: boolean;
  #level = 0;
  #last = 0;
  /** The last answer had news, for which nothing has been refunded so far. */
  #hasNews = false;
  #notBefore = -Infinity;

  constructor(acks: boolean) {
    this.#acks = acks;
  }

  see(entry: JournalEntry): void {
    switch (entry.kind) {
      case 'request':
        return this.#onRequest(entry);
      case 'answer':
        this.#hasNews = entry.ids.length > 0;
        break;
      case this.#acks ? 'acknowledged' : 'delivered':
        if (this.#hasNews) this.#level = Math.max(0, this.#level - 1);
        this.#hasNews = false;
        break;
      case 'resumed':
        // Another watch, which knows nothing of this one.
        this.#level = 0;
        this.#notBefore = -Infinity;
        break;
      case 'asked to wait':
        this.#notBefore = entry.monotonic + entry.wait - ROUNDING;
        break;
    }
  }

  #onRequest({ monotonic, true: at, inFlight }: Extract<JournalEntry, { kind: 'request' }>): void {
    if (inFlight > 1) this.violations.push({ what: 'two polls in flight', at, detail: String(inFlight) });
    this.#level = Math.max(0, this.#level - (monotonic - this.#last) / MIN_INTERVAL) + 1;
    this.#last = monotonic;
    if (this.#level > BURST + 0.01)
      this.violations.push({ what: 'too many requests', at, detail: `${this.#level.toFixed(2)} at once` });
    if (monotonic < this.#notBefore)
      this.violations.push({
        what: 'polled before Retry-After',
        at,
        detail: `${((this.#notBefore - monotonic) / 1_000).toFixed(1)} s too early`,
      });
  }
}
