import type { Moment } from '../world/clocks.js';
import type { JournalEntry } from '../world/journal.js';
import { ageOf, gaveUpAt, MAX_AGE, saidBefore, TOLERANCE } from './age.js';
import type { Violation } from './violation.js';

/** So soon after a gap or an answer, in ms, a poll misses nothing. */
const RIGHT_AFTER = 3_000;

/** What comes sooner than this, in ms, was not held by the service. */
const AT_ONCE = 2_000;

/**
 * Keeps the age of the index as law 5 says, from what a client sees, and tells where that law wants
 * a gap: before the next answer after a poll was sent from an index that was too old, or became so,
 * by the timers, while the poll was open; and before one to a poll without an index, except the
 * first. An index that goes back is a gap, too (law 3).
 */
export class IndexAge {
  readonly violations: Violation[] = [];
  /** The last poll, and how old its index was when it was sent, in ms. */
  #poll: (JournalEntry & { readonly kind: 'request' }) | undefined;
  #pollAge = 0;
  #pollSince: Moment | undefined;
  #isOpen = false;
  /** The index is no older than this, and the one before it no older than that. */
  #since: Moment | undefined;
  #before: Moment | undefined;
  /** The last gap: who reloads there has missed nothing. */
  #gapAt: Moment | undefined;
  /**
   * When the service was last heard, at the earliest: what came during a sleep may have been said
   * before it.
   */
  #heard: Moment | undefined;
  #isDue = false;
  #answerIndex: string | undefined;
  #expected: 'gap' | 'none' | 'either' | undefined;
  #gaps = 0;
  #why = '';
  /** What was known before the last answer. */
  #earlier: Record<'since' | 'heard', Moment | undefined> | undefined;
  /**
   * Events may wait in a queue, whose gap comes before the next poll. It is as old as the index
   * before it.
   */
  readonly #queues: boolean;

  constructor(queues: boolean) {
    this.#queues = queues;
  }

  see(entry: JournalEntry): void {
    switch (entry.kind) {
      case 'request':
        return this.#onRequest(entry);
      case 'answer':
        return this.#onAnswer(entry);
      case 'timeout':
        // It knew the index, but gave no younger one. That does not undo a gap that has become due.
        if (this.#openAge(entry) > MAX_AGE + TOLERANCE) this.#isDue = true;
        this.#heard = gaveUpAt(this.#poll!, entry) ?? this.#heard;
        this.#isOpen = false;
        break;
      case 'gap':
        return this.#onGap(entry);
    }
  }

  #onRequest(entry: JournalEntry & { readonly kind: 'request' }): void {
    this.#settle(entry);
    // The last poll may have become too old while it was open.
    if (this.#isOpen && this.#openAge(entry) > MAX_AGE + TOLERANCE) this.#isDue = true;
    this.#poll = entry;
    this.#isOpen = true;
    // What is sent right after the service was heard, or after a gap, misses nothing, however old
    // the index is.
    const isRecent = this.#heard !== undefined && ageOf(this.#heard, entry) <= RIGHT_AFTER;
    const since = isRecent ? this.#heard : this.#since;
    // Never older than the last gap.
    this.#pollSince = this.#gapAt && ageOf(this.#gapAt, entry) < ageOf(since, entry) ? this.#gapAt : since;
    this.#pollAge = ageOf(this.#pollSince, entry);
    if (this.#pollAge > MAX_AGE + TOLERANCE) this.#isDue = true;
  }

  #onAnswer(entry: JournalEntry & { readonly kind: 'answer' }): void {
    const poll = this.#poll!;
    const age = this.#openAge(entry.firstByte);
    const isBack = poll.index !== undefined && BigInt(entry.index) < BigInt(poll.index);
    if (poll.index === undefined) this.#why = 'no index';
    else this.#why = isBack ? 'index back' : `age ${age / 1_000} s`;
    if (poll.index === undefined) this.#expected = this.#heard ? 'gap' : 'none';
    else if (isBack || this.#isDue || age > MAX_AGE + TOLERANCE || this.#isForgotten(entry))
      this.#expected = 'gap';
    // During a sleep no timer tells. Then the gap may also come with the next answer.
    else this.#expected = ageOf(this.#pollSince, entry.firstByte) > MAX_AGE - TOLERANCE ? 'either' : 'none';
    this.#before = this.#since;
    this.#earlier = { since: this.#since, heard: this.#heard };
    // What came with news may have waited since the service was last heard.
    this.#since = entry.ids.length === 0 || poll.index === undefined ? poll : (this.#heard ?? poll);
    this.#heard = saidBefore(poll, entry.firstByte);
    this.#answerIndex = entry.index;
    this.#isOpen = false;
    this.#isDue = false;
  }

  #onGap(entry: JournalEntry): void {
    const { true: at } = entry;
    if (++this.#gaps > 1) this.violations.push({ what: 'two gaps at once', at, detail: this.#why });
    const isOld = ageOf(this.#before, entry) > MAX_AGE - TOLERANCE;
    if (this.#expected === 'none' ? !(this.#queues && isOld) : this.#expected === undefined && !this.#queues)
      this.violations.push({ what: 'a gap too many', at, detail: this.#why });
    this.#gapAt = entry;
    this.#before = entry;
    this.#isDue = false;
  }

  /** Before the next poll all that belongs to an answer has been emitted. */
  #settle({ true: at, index }: JournalEntry & { readonly kind: 'request' }): void {
    if (this.#expected === undefined) return;
    const isMissing = this.#expected === 'gap' && this.#gaps === 0;
    // An answer without a subscriber to take it is dropped, with its index and its gap.
    const isDropped = this.#queues && index !== this.#answerIndex;
    if (isMissing && isDropped) this.#isDue = true;
    else if (isMissing) this.violations.push({ what: 'no gap', at, detail: this.#why });
    if (isDropped && index !== undefined && index === this.#poll?.index) {
      this.#since = this.#earlier?.since;
      this.#heard = this.#earlier?.heard;
    }
    this.#expected = undefined;
    this.#gaps = 0;
  }

  /** A service that has forgotten an old index says at once that there is nothing new. */
  #isForgotten({ ids, firstByte }: JournalEntry & { readonly kind: 'answer' }): boolean {
    const poll = this.#poll!;
    const isAtOnce = firstByte.monotonic - poll.monotonic < AT_ONCE;
    return ids.length === 0 && isAtOnce && ageOf(this.#since, poll) > MAX_AGE + TOLERANCE;
  }

  /** How old the index of the last poll has become since that was sent, which only timers tell. */
  #openAge({ monotonic }: Moment): number {
    const poll = this.#poll;
    return poll?.index === undefined ? 0 : this.#pollAge + (monotonic - poll.monotonic);
  }
}
