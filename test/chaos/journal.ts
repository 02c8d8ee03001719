import type { Checkpoint } from 'lobby-rx';

/** What the consumer has recorded for one identity. */
export interface Journal {
  /** The latest checkpoint of its watch. */
  checkpoint: Checkpoint | undefined;
  /** The delivered events in order, with the gaps and resumptions between them. */
  readonly entries: (number | 'gap' | 'resumed')[];
}

/** The highest value of a figure that the consumer recorded, over all its restarts. */
export function highestFigure(text: string, figure: 'maxRequests' | 'silence'): number {
  return Math.max(
    0,
    ...[...text.matchAll(new RegExp(`^\\["","${figure}",(\\d+)\\]$`, 'gm'))].map(match => Number(match[1])),
  );
}

/** How many watches ended and were restarted, over all restarts of the consumer. */
export function restartCount(text: string): number {
  return text.match(/^\["","ended"\]$/gm)?.length ?? 0;
}

/** Reads the consumer's file. A last line that was cut off by a kill is ignored. */
export function readJournal(text: string): Map<string, Journal> {
  const journals = new Map<string, Journal>();
  for (const line of text.slice(0, text.lastIndexOf('\n') + 1).split('\n')) {
    if (line === '' || line.startsWith('["",')) continue;
    const [id, kind, ...rest] = JSON.parse(line) as [
      string,
      'batch' | 'gap',
      Checkpoint | null,
      (number | string)[],
    ];
    const journal = journals.get(id) ?? { checkpoint: undefined, entries: [] };
    journals.set(id, journal);
    if (kind !== 'batch') {
      journal.entries.push(kind);
      continue;
    }
    journal.checkpoint = rest[0] ?? undefined;
    for (const work of rest[1]) journal.entries.push(Number(work));
  }
  return journals;
}
