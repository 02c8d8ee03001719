import type { Checkpoint, Gap } from 'lobby-rx';

/** What a follower has recorded for one identity. */
export interface Journal {
  /** The latest checkpoint of its watch. */
  checkpoint: Checkpoint | undefined;
  /** Whether its watch has begun: from then on, nothing may be lost. */
  isReady: boolean;
  /**
   * The delivered events in order, with the gaps, resumptions and failures of `ack` between them.
   */
  readonly entries: (number | { readonly gapAt: number } | 'resumed')[];
  /** When events were delivered, and when a new watch was started. */
  readonly deliveredAt: number[];
  readonly startedAt: number[];
  /** The event at which a subscriber has thrown, until the watch is resumed. */
  thrownAt: number | undefined;
  /**
   * How many events were acknowledged although a subscriber had thrown, or before they were
   * delivered.
   */
  acknowledgedInVain: number;
}

/** The longest silence between two batches that was recorded, over all restarts. */
export function longestSilence(text: string): number {
  return Math.max(0, ...[...text.matchAll(/^\["","silence",(\d+)\]$/gm)].map(match => Number(match[1])));
}

/** How many watches ended and were restarted, or how many visits there were, over all restarts. */
export function countOf(text: string, what: 'ended' | 'visit'): number {
  return text.split(`["","${what}"]\n`).length - 1;
}

type Line =
  | [
      ...[id: string, kind: 'batch', checkpoint: Checkpoint],
      ...[works: (number | string)[], gap: Gap | null, at: number],
    ]
  | [id: string, kind: 'event', work: number | string, at: number]
  | [id: string, kind: 'threw', work: number | string]
  | [id: string, kind: 'taken', works: (number | string)[]]
  | [id: string, kind: 'gap', gap: Gap]
  | [id: string, kind: 'resumed', at: number]
  | [id: string, kind: 'failed' | 'ready'];

/** Reads a journal. A last line that was cut off by a kill is ignored. */
export function readJournal(text: string): Map<string, Journal> {
  const journals = new Map<string, Journal>();
  for (const line of text.slice(0, text.lastIndexOf('\n') + 1).split('\n')) {
    if (line === '' || line.startsWith('["",')) continue;
    const entry = JSON.parse(line) as Line;
    const journal = journals.get(entry[0]) ?? newJournal();
    journals.set(entry[0], journal);
    add(journal, entry);
  }
  return journals;
}

export function newJournal(): Journal {
  return {
    checkpoint: undefined,
    isReady: false,
    thrownAt: undefined,
    acknowledgedInVain: 0,
    entries: [],
    deliveredAt: [],
    startedAt: [],
  };
}

function add(journal: Journal, line: Line): void {
  const { entries, deliveredAt } = journal;
  switch (line[1]) {
    case 'batch': {
      const [, , checkpoint, works, gap, at] = line;
      journal.checkpoint = checkpoint;
      journal.isReady = true;
      if (gap) entries.push({ gapAt: gap.at });
      if (works.length > 0) deliveredAt.push(at);
      for (const work of works) {
        entries.push(Number(work));
        if (journal.thrownAt === Number(work)) journal.acknowledgedInVain++;
      }
      return;
    }
    case 'event':
      entries.push(Number(line[2]));
      deliveredAt.push(line[3]);
      return;
    case 'taken': {
      const [last] = line[2].slice(-1);
      if (entries.lastIndexOf(Number(last)) === -1) journal.acknowledgedInVain++;
      return;
    }
    case 'threw':
      journal.thrownAt = Number(line[2]);
      return;
    case 'ready':
      journal.isReady = true;
      return;
    case 'gap':
      entries.push({ gapAt: line[2].at });
      return;
    case 'failed':
      entries.push('resumed');
      return;
    case 'resumed':
      journal.thrownAt = undefined;
      entries.push('resumed');
      journal.startedAt.push(line[2]);
  }
}
