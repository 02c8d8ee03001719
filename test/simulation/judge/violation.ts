import { lineOf, type JournalEntry } from '../world/journal.js';

/** Something that a law forbids. */
export interface Violation {
  /** Which, in a few words. */
  readonly what: string;
  /** When it showed, in the service's true time, in ms. */
  readonly at: number;
  readonly detail: string;
}

/** How many entries of the journal to show around a violation. */
const AROUND = 24;

/** What a person needs to understand a violation: what led to it. */
export function explain({ what, at, detail }: Violation, entries: readonly JournalEntry[]): string {
  const next = entries.findIndex(entry => entry.true > at);
  const end = next === -1 ? entries.length : next;
  const lines = entries.slice(Math.max(0, end - AROUND), end + 4).map(lineOf);
  return [`${what} at ${(at / 1_000).toFixed(2)} s: ${detail}`, ...lines].join('\n  ');
}
