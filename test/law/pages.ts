import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { filesUnder } from '../files-under.js';

const ROOT = join(import.meta.dirname, '../..');
/** What belongs to the site: its packages, and what is generated. */
const OF_SITE = /^(?:node_modules|api|\.vitepress)\//;

/** A page of the documentation, named by its path from the root: `docs/gate.md`. */
export interface DocumentedPage {
  readonly name: string;
  readonly text: string;
}

const docs = join(ROOT, 'docs');
const names = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'bench/README.md',
  ...filesUnder(docs, '.md')
    .filter(file => !OF_SITE.test(relative(docs, file)))
    .map(file => relative(ROOT, file)),
];

export const pages: readonly DocumentedPage[] = names.map(name => ({
  name,
  text: readFileSync(join(ROOT, name), 'utf8'),
}));
