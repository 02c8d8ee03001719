import type { Journal } from './journal.js';

/** The outcome for the events of one identity. */
export interface DeliveryResult {
  delivered: number;
  /** Lost without a gap. */
  lost: number;
  /** Lost, and reported as a gap. */
  lostInGap: number;
  /** Reported as lost in a gap, but delivered later, because the index went back. */
  recovered: number;
  /** Delivered twice without a resume in between. */
  duplicated: number;
  /** Delivered again because a watch resumed from an older index (at-least-once delivery). */
  redelivered: number;
  outOfOrder: number;
  gaps: number;
}

/** Compares what was delivered with what was sent: the numbers from 0 to `sent`, excluding `sent`. */
export function evaluate({ entries }: Journal, sent: number): DeliveryResult {
  const result = {
    delivered: 0,
    lost: 0,
    recovered: 0,
    duplicated: 0,
    redelivered: 0,
    outOfOrder: 0,
    gaps: 0,
  };
  const seen = new Set<number>();
  const lostInGap = new Set<number>();
  let next = 0;
  let isAfterGap = false;
  let resumed = new Set<number>();

  /** Counts the events between the last one and this entry, which are missing. */
  const advanceTo = (entry: number) => {
    for (let missing = next; missing < entry; missing++) {
      if (isAfterGap) lostInGap.add(missing);
      else result.lost++;
    }
    next = entry + 1;
    isAfterGap = false;
  };

  for (const entry of entries) {
    if (entry === 'resumed') resumed = new Set(seen);
    else if (entry === 'gap') {
      result.gaps++;
      isAfterGap = true;
    } else if (seen.has(entry)) {
      result[resumed.delete(entry) ? 'redelivered' : 'duplicated']++;
    } else {
      if (entry >= next) advanceTo(entry);
      else result[lostInGap.delete(entry) ? 'recovered' : 'outOfOrder']++;
      result.delivered++;
      seen.add(entry);
    }
  }
  advanceTo(sent);
  return { ...result, lostInGap: lostInGap.size };
}
