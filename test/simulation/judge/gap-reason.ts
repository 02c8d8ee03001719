import type { JournalEntry } from '../world/journal.js';
import { numberIn } from '../world/log-service.js';
import type { Violation } from './violation.js';

type Request = JournalEntry & { readonly kind: 'request' };
type Answer = JournalEntry & { readonly kind: 'read' };

/**
 * Judges the gaps of a watch whose service forgets nothing: each has one of the reasons that the
 * client could see, and no reason goes without a gap. The index is dropped only for one of them.
 */
export class GapReason {
  readonly violations: Violation[] = [];
  readonly #redelivers: boolean;
  #poll: Request | undefined;
  #isAnswered = true;
  /** The log that the index of the last answer belongs to. */
  #handle: string | undefined;
  /** Why a gap has to come before the next answer. */
  readonly #due = new Set<string>();
  /** An answer has been taken, and the gap before it has not come. */
  #isMissing = false;

  constructor(redelivers: boolean) {
    this.#redelivers = redelivers;
  }

  see(entry: JournalEntry): void {
    switch (entry.kind) {
      case 'request':
        return this.#onRequest(entry);
      case 'read':
        return this.#onAnswer(entry);
      case 'gap':
        return this.#onGap(entry);
    }
  }

  #onRequest(entry: Request): void {
    if (this.#isMissing) this.#violate('no gap', entry, [...this.#due].join());
    this.#isMissing = false;
    // The poll before it has failed, or was given up.
    if (!this.#redelivers && !this.#isAnswered && this.#poll?.index !== undefined)
      this.#due.add('unanswered');
    if (this.#poll !== undefined && entry.index === undefined && !this.#mayBegin())
      this.#violate('an index was dropped for no reason', entry, String(this.#poll.index));
    this.#poll = entry;
    this.#isAnswered = false;
  }

  #mayBegin(): boolean {
    return this.#poll?.index === undefined || this.#due.has('another_log');
  }

  #onAnswer({ index, handle, isTruncated }: Answer): void {
    const sent = this.#poll?.index;
    this.#isAnswered = true;
    if (isTruncated) this.#due.add('forgotten');
    else if (sent !== undefined && this.#handle !== undefined && handle !== this.#handle) {
      this.#due.add('another_log');
      return;
    }
    if (sent !== undefined && numberIn(index) < numberIn(sent)) this.#due.add('index_backwards');
    this.#handle = handle;
    this.#isMissing = this.#due.size > 0;
  }

  #onGap(entry: JournalEntry & { readonly kind: 'gap' }): void {
    if (!this.#due.has(entry.reason)) this.#violate('a gap without a reason', entry, entry.reason);
    this.#due.clear();
    this.#isMissing = false;
  }

  #violate(what: string, { true: at }: JournalEntry, detail: string): void {
    this.violations.push({ what, at, detail });
  }
}
