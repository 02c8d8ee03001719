import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/**
 * The one block of code of a page that contains a text, so that the consumers follow what the docs
 * say.
 */
export function recipe(page: string, text: string): string {
  const blocks = [
    ...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```\w+(?: \[[^\]]+\])?\n(.*?)^```/gms),
  ];
  const found = blocks.map(([, code]) => code!).filter(code => code.includes(text));
  if (found.length !== 1) throw new Error(`${found.length} blocks of ${page} contain ${text}`);
  return found[0]!;
}
