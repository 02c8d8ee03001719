import type { Journal } from './journal.js';

/** What became of the events of one identity. */
export interface Verdict {
  delivered: number;
  /** Lost without a gap that tells of it. */
  lost: number;
  /** Lost, with a gap that tells of it. */
  covered: number;
  doubled: number;
  /** Given again because a resumed watch went on from an index that had gone back: at least once. */
  again: number;
  outOfOrder: number;
  /** Taken for lost, and given after all where the index went back, with a gap that tells of it. */
  late: number;
  gaps: number;
}

/** Holds what was delivered against what was sent: the numbers from 0 up to `sent`. */
export function verdictOf({ entries }: Journal, sent: number): Verdict {
  const verdict: Verdict = {
    delivered: 0,
    lost: 0,
    covered: 0,
    doubled: 0,
    again: 0,
    outOfOrder: 0,
    late: 0,
    gaps: 0,
  };
  const seen = new Set<number>();
  let next = 0;
  let isCovered = false;
  let resumed = new Set<number>();
  for (const entry of [...entries, sent]) {
    if (entry === 'resumed') {
      resumed = new Set(seen);
      continue;
    }
    if (entry === 'gap') {
      verdict.gaps++;
      isCovered = true;
      continue;
    }
    if (resumed.delete(entry)) verdict.again++;
    else if (seen.has(entry)) verdict.doubled++;
    else if (entry < next) verdict[isCovered ? 'late' : 'outOfOrder']++;
    else {
      verdict[isCovered ? 'covered' : 'lost'] += entry - next;
      next = entry + 1;
      isCovered = false;
    }
    if (!seen.has(entry) && entry !== sent) verdict.delivered++;
    seen.add(entry);
  }
  return verdict;
}
