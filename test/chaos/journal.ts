import type { Checkpoint, Gap } from 'lobby-rx';

/** What the consumer or the visitor has recorded for one identity. */
export interface Journal {
  /** The latest checkpoint of its watch. */
  checkpoint: Checkpoint | undefined;
  /** Whether its watch has begun: from then on, nothing may be lost. */
  isReady: boolean;
  /** The delivered events in order, with the gaps and resumptions between them. */
  readonly entries: (number | { readonly gapAt: number } | 'resumed')[];
  /** The event at which a subscriber has thrown, until the watch is resumed. */
  thrownAt: number | undefined;
  /** How many events were acknowledged although a subscriber had thrown. */
  acknowledgedInVain: number;
}

/** The highest value of a figure that was recorded, over all restarts. */
export function highestFigure(text: string, figure: 'maxRequests' | 'silence'): number {
  return Math.max(
    0,
    ...[...text.matchAll(new RegExp(`^\\["","${figure}",(\\d+)\\]$`, 'gm'))].map(match => Number(match[1])),
  );
}

/** How many watches ended and were restarted, or how many visits there were, over all restarts. */
export function countOf(text: string, what: 'ended' | 'visit'): number {
  return text.split(`["","${what}"]\n`).length - 1;
}

type Line =
  | [id: string, kind: 'batch', checkpoint: Checkpoint, works: (number | string)[], gap: Gap | null]
  | [id: string, kind: 'event' | 'threw', work: number | string]
  | [id: string, kind: 'gap', gap: Gap]
  | [id: string, kind: 'resumed' | 'ready'];

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
  return { checkpoint: undefined, isReady: false, entries: [], thrownAt: undefined, acknowledgedInVain: 0 };
}

function add(journal: Journal, line: Line): void {
  const { entries } = journal;
  switch (line[1]) {
    case 'batch': {
      const [, , checkpoint, works, gap] = line;
      journal.checkpoint = checkpoint;
      journal.isReady = true;
      if (gap) entries.push({ gapAt: gap.at });
      for (const work of works) {
        entries.push(Number(work));
        if (journal.thrownAt === Number(work)) journal.acknowledgedInVain++;
      }
      return;
    }
    case 'event':
      entries.push(Number(line[2]));
      return;
    case 'threw':
      journal.thrownAt = Number(line[2]);
      return;
    case 'ready':
      journal.isReady = true;
      return;
    case 'gap':
      entries.push({ gapAt: line[2].at });
      return;
    case 'resumed':
      journal.thrownAt = undefined;
      entries.push('resumed');
  }
}
