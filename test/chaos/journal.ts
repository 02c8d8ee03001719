import type { Checkpoint } from 'lobby-rx';

/** What the consumer's file says of one identity. */
export interface Journal {
  /** Where its watch stands. */
  checkpoint: Checkpoint | undefined;
  /** What was delivered, in order, and between it the gaps that were told and the resumptions. */
  readonly entries: (number | 'gap' | 'resumed')[];
}

/** The highest figure of a kind that the consumer noted, in whichever of its lives. */
export function highestIn(text: string, figure: 'worst' | 'silence'): number {
  return Math.max(
    0,
    ...[...text.matchAll(new RegExp(`^\\["","${figure}",(\\d+)\\]$`, 'gm'))].map(match => Number(match[1])),
  );
}

/** How many watches ended and were started again, in all of its lives. */
export function endingsIn(text: string): number {
  return text.match(/^\["","ended"\]$/gm)?.length ?? 0;
}

/** Reads the consumer's file; a last line that a kill cut short does not count. */
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
