import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { filesUnder } from '../../files-under.js';

const ROOT = join(import.meta.dirname, '../../..');

/** A block of TypeScript in README or in docs. */
export interface Snippet {
  /** Where its fence is: `docs/gate.md:17`. */
  readonly name: string;
  readonly code: string;
  /** Why it cannot run here, from a comment before it: `<!-- not run: needs a browser -->`. */
  readonly notRun: string | undefined;
}

const BLOCK =
  /(?<comment><!-- not run: (?<notRun>.+) -->\n+)?^ *```(?:ts|typescript)$\n(?<code>[^]*?)^ *```$/gm;

/** Every block of TypeScript that a reader may copy. */
export function allSnippets(): readonly Snippet[] {
  const files = [join(ROOT, 'README.md'), ...filesUnder(join(ROOT, 'docs'), '.md')];
  return files.flatMap(file => {
    const text = readFileSync(file, 'utf8');
    return [...text.matchAll(BLOCK)].map(({ index, groups = {} }) => {
      const line = text.slice(0, index + (groups.comment?.length ?? 0)).split('\n').length;
      return { name: `${relative(ROOT, file)}:${line}`, code: groups.code ?? '', notRun: groups.notRun };
    });
  });
}
