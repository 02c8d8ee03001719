import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PrintedReport } from './report.js';

const FILE = join(import.meta.dirname, 'figures.json');

/** What the bench has printed last of one figure. */
export interface SavedFigure {
  readonly value: number;
  readonly unit: string;
  readonly ratio?: number;
}

/** The figures that the bench has printed last, by their heading and their name. */
export type SavedFigures = Readonly<Record<string, Readonly<Record<string, SavedFigure>>>>;

export function savedFigures(): SavedFigures {
  return JSON.parse(readFileSync(FILE, 'utf8')) as SavedFigures;
}

/** Replaces the saved figures under each heading that was measured. The others stay. */
export function saveFigures(figures: PrintedReport['figures']): void {
  const saved: Record<string, Record<string, SavedFigure>> = {};
  for (const { heading, name, value, unit, ratio } of figures) {
    saved[heading] ??= {};
    saved[heading][name] = {
      value: rounded(value),
      unit,
      ...(ratio !== undefined && { ratio: rounded(ratio) }),
    };
  }
  writeFileSync(FILE, `${JSON.stringify({ ...savedFigures(), ...saved }, null, 2)}\n`);
}

/** Three digits are more than a page says. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
