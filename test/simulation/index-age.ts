import type { Moment } from './clocks.js';
import type { JournalEntry } from './journal.js';
import type { Violation } from './violation.js';

/** An index may be used until it is this old, in ms: the service keeps events for 300 s. */
const MAX_AGE = 297_000;

/** At the very moment both is right. */
const TOLERANCE = 50;

/**
 * Keeps the age of the index as law 5 says, from what a client sees, and tells where that law wants a gap: before an answer whose
 * first byte comes when the index that was polled from is too old, and before one to a poll without an index, except the first.
 * An index that goes back is a gap, too (law 3).
 */
export class IndexAge {
  readonly violations: Violation[] = [];
  readonly #polls = new Map<number, Moment & { readonly index: string | undefined }>();
  /** The index is no older than this, and the one before it no older than that. */
  #since: Moment | undefined;
  #before: Moment | undefined;
  /** When the service was last heard. */
  #lastWord: Moment | undefined;
  #expected: 'gap' | 'none' | 'either' | undefined;
  #gaps = 0;
  #why = '';
  /** Events may wait in a queue, whose gap comes before the next poll. It is as old as the index before it. */
  readonly #queues: boolean;

  constructor(queues: boolean) {
    this.#queues = queues;
  }

  see(entry: JournalEntry): void {
    switch (entry.kind) {
      case 'request':
        this.#settle(entry);
        this.#polls.set(entry.request, entry);
        break;
      case 'answer':
        return this.#onAnswer(entry);
      case 'timeout':
        this.#since = this.#polls.get(entry.request);
        this.#lastWord = entry;
        break;
      case 'gap':
        return this.#onGap(entry);
    }
  }

  #onAnswer(entry: Extract<JournalEntry, { kind: 'answer' }>): void {
    const poll = this.#polls.get(entry.request)!;
    const age = ageOf(this.#since, entry.firstByte);
    const isBack = poll.index !== undefined && BigInt(entry.index) < BigInt(poll.index);
    this.#why = poll.index === undefined ? 'no index' : isBack ? 'index back' : `age ${age / 1_000} s`;
    if (poll.index === undefined) this.#expected = this.#lastWord ? 'gap' : 'none';
    else if (isBack) this.#expected = 'gap';
    else if (Math.abs(age - MAX_AGE) < TOLERANCE) this.#expected = 'either';
    else this.#expected = age > MAX_AGE ? 'gap' : 'none';
    this.#before = this.#since;
    // What came with news may have waited since the service was last heard.
    this.#since = entry.ids.length === 0 ? poll : (this.#lastWord ?? poll);
    this.#lastWord = entry;
  }

  #onGap(entry: JournalEntry): void {
    const { true: at } = entry;
    if (++this.#gaps > 1) this.violations.push({ what: 'two gaps at once', at, detail: this.#why });
    const isOld = ageOf(this.#before, entry) > MAX_AGE - TOLERANCE;
    if (this.#expected === 'none' ? !(this.#queues && isOld) : this.#expected === undefined && !this.#queues)
      this.violations.push({ what: 'a gap too many', at, detail: this.#why });
    // Who reloads there has missed nothing.
    this.#since = this.#before = entry;
  }

  /** Before the next poll all that belongs to an answer has been emitted. */
  #settle({ true: at }: JournalEntry): void {
    if (this.#expected === undefined) return;
    if (this.#expected === 'gap' && this.#gaps === 0)
      this.violations.push({ what: 'no gap', at, detail: this.#why });
    this.#expected = undefined;
    this.#gaps = 0;
  }
}

/** The law's age, in ms: the larger one of two clocks. */
function ageOf(since: Moment | undefined, { monotonic, wall }: Moment): number {
  return since ? Math.max(monotonic - since.monotonic, wall - since.wall) : 0;
}
