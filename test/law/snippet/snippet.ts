import { pages } from '../pages.js';

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
  const shown = pages.filter(({ name }) => /^(?:README|docs\/.+)\.md$/.test(name));
  return shown.flatMap(({ name: page, text }) => {
    return [...text.matchAll(BLOCK)].map(({ index, groups = {} }) => {
      const line = text.slice(0, index + (groups.comment?.length ?? 0)).split('\n').length;
      return { name: `${page}:${line}`, code: groups.code ?? '', notRun: groups.notRun };
    });
  });
}
