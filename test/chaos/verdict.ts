import type { Journal } from './journal.js';

/** What became of the events of one identity. */
export interface Recovery {
  delivered: number;
  /** Lost without a gap that tells of it. */
  lost: number;
  /** Lost, with a gap that tells of it. */
  covered: number;
  /** Lost with a gap that told of it, and then given after all, because the index went back. */
  recovered: number;
  doubled: number;
  /** Given again because a resumed watch went on from an index that had gone back: at least once. */
  again: number;
  outOfOrder: number;
  gaps: number;
}

/** Holds what was delivered against what was sent: the numbers from 0 up to `sent`. */
export function verdictOf({ entries }: Journal, sent: number): Recovery {
  const verdict = { delivered: 0, lost: 0, recovered: 0, doubled: 0, again: 0, outOfOrder: 0, gaps: 0 };
  const seen = new Set<number>();
  const covered = new Set<number>();
  let next = 0;
  let isCovered = false;
  let resumed = new Set<number>();

  /** Everything up to an event that has come, or up to the end, and has not come itself, is missing by now. */
  const advanceTo = (entry: number) => {
    for (let missing = next; missing < entry; missing++) {
      if (isCovered) covered.add(missing);
      else verdict.lost++;
    }
    next = entry + 1;
    isCovered = false;
  };

  for (const entry of entries) {
    if (entry === 'resumed') resumed = new Set(seen);
    else if (entry === 'gap') {
      verdict.gaps++;
      isCovered = true;
    } else if (seen.has(entry)) {
      verdict[resumed.delete(entry) ? 'again' : 'doubled']++;
    } else {
      if (entry >= next) advanceTo(entry);
      else verdict[covered.delete(entry) ? 'recovered' : 'outOfOrder']++;
      verdict.delivered++;
      seen.add(entry);
    }
  }
  advanceTo(sent);
  return { ...verdict, covered: covered.size };
}
