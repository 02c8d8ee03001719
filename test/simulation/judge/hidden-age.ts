import type { Moment } from '../world/clocks.js';
import type { JournalEntry } from '../world/journal.js';
import { ageOf, gaveUpAt, MAX_AGE, saidBefore, TOLERANCE } from './age.js';

/**
 * A checkpoint's time may be so far ahead, in ms: machines differ. What is further ahead is a gap.
 */
const AHEAD = 3_000;

/** An index is no older than `since`, and the service was `heard` when it gave it. */
interface Known {
  readonly since: Moment;
  readonly heard: Moment;
}

/**
 * Tells what a clock hides that is set back between a checkpoint and the process that resumes from
 * it: that process has only the wall clock to tell how old the checkpoint is. Keeps the age of what
 * has been acknowledged, as law 5 says, in moments that have their true time, and the others as
 * they look to the process that runs.
 */
export class HiddenAge {
  #poll: Moment | undefined;
  #pending: Known | undefined;
  #known: Known | undefined;
  /** The time of the checkpoint, as it was saved. */
  #saved: Moment | undefined;
  #isFromFuture = false;

  see(entry: JournalEntry): void {
    switch (entry.kind) {
      case 'request':
        this.#poll = entry;
        break;
      case 'answer': {
        // What came with news may have waited since the service was last heard.
        const since = entry.ids.length > 0 && this.#known ? this.#known.heard : this.#poll!;
        this.#pending = { since, heard: saidBefore(this.#poll!, entry.firstByte) };
        break;
      }
      case 'timeout':
        if (this.#known)
          this.#known = { ...this.#known, heard: gaveUpAt(this.#poll!, entry) ?? this.#known.heard };
        break;
      case 'acknowledged':
        this.#known = this.#pending ?? this.#known;
        this.#saved = this.#known?.since;
        this.#isFromFuture = false;
        break;
      case 'resumed':
        this.#onResumed(entry);
        break;
    }
  }

  /**
   * Whether nothing shows that the service had forgotten the index when it was asked for what it
   * has answered here.
   */
  hides({ ids }: JournalEntry & { readonly kind: 'answer' }): boolean {
    const poll = this.#poll!;
    const since = this.#known?.since;
    if (!since || this.#isFromFuture || ids.length > 0) return false;
    return poll.true - since.true > MAX_AGE && ageOf(since, poll) <= MAX_AGE + TOLERANCE;
  }

  #onResumed({ monotonic, wall }: Moment): void {
    this.#pending = undefined;
    if (!this.#saved) return;
    const age = wall - this.#saved.wall;
    this.#isFromFuture = -age > AHEAD;
    const past = Math.max(0, age);
    const since = { true: this.#saved.true, monotonic: monotonic - past, wall: wall - past };
    this.#known = { since, heard: since };
  }
}
