import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The paths of all own files below a folder whose names have this ending. */
export function filesUnder(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith(ending) && !name.includes('node_modules'))
    .map(name => join(folder, name))
    .sort();
}
