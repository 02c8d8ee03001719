import { ok } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** The text of docs/design.md. */
export const designPage = readFileSync(join(ROOT, 'docs/design.md'), 'utf8');

/** The text of docs/design.md under a heading, up to the next one of its level. */
export function sectionOfDesign(heading: string): string {
  const found = designPage.split(/^## /m).find(text => text.startsWith(`${heading}\n`));
  ok(found, `there is no section '${heading}'`);
  return found;
}

/**
 * The rows of the tables in a text, without the header rows: the cells, without the backticks
 * around them.
 */
export const rowsIn = (text: string) =>
  [...text.matchAll(/^\|(.*)\|$/gm)]
    .map(([, row]) => row!.split('|').map(cell => cell.trim().replace(/^`([^`]*)`$/, '$1')))
    .filter(([first], i, rows) => !first!.startsWith('-') && !rows[i + 1]?.[0]?.startsWith('-'));
