import { readFileSync } from 'node:fs';
import { join } from 'node:path';

// Not beside this file: a benchmark is bundled.
const page = readFileSync(join(process.cwd(), 'docs/design.md'), 'utf8');

/** What a page may load at most, in kB: the table of docs/design.md. */
export const weights: ReadonlyMap<string, number> = new Map(
  [...page.matchAll(/^\| `?([^`|]+?)`? +\| (\d+\.\d) +\|$/gm)].map(([, what, kB]) => [what!, Number(kB)]),
);
