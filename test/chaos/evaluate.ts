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
  /** Delivered twice without a gap, a resume or a failed `ack` in between. */
  duplicated: number;
  /** Delivered again after one of these (at-least-once delivery). */
  redelivered: number;
  outOfOrder: number;
  gaps: number;
}

/**
 * Compares what was delivered with what was sent: `sentAt` has the time of each event, by its
 * number. A gap excuses what was sent before it, if it is reported before any later event.
 */
export function evaluate({ entries }: Pick<Journal, 'entries'>, sentAt: readonly number[]): DeliveryResult {
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
  let lastGapAt = 0;
  let resumed = new Set<number>();

  /** Counts the events between the last one and this entry, which are missing. */
  const advanceTo = (entry: number) => {
    for (let missing = next; missing < entry; missing++) {
      if (sentAt[missing]! <= lastGapAt) lostInGap.add(missing);
      else result.lost++;
    }
    next = entry + 1;
  };

  for (const entry of entries) {
    if (entry === 'resumed') resumed = new Set(seen);
    else if (typeof entry === 'object') {
      result.gaps++;
      resumed = new Set(seen);
      lastGapAt = Math.max(lastGapAt, entry.gapAt);
    } else if (seen.has(entry)) {
      result[resumed.delete(entry) ? 'redelivered' : 'duplicated']++;
    } else {
      if (entry >= next) advanceTo(entry);
      else result[lostInGap.delete(entry) ? 'recovered' : 'outOfOrder']++;
      result.delivered++;
      seen.add(entry);
    }
  }
  advanceTo(sentAt.length);
  return { ...result, lostInGap: lostInGap.size };
}
