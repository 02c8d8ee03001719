import type * as t from 'io-ts';
import { shapeOf, type DecodeIssue } from '../error/index.js';

/** Converts io-ts errors to {@link DecodeIssue}s whose paths start at `root`. */
export function decodeIssues(errors: t.Errors, root = '', describe = shapeOf): readonly DecodeIssue[] {
  return errors.map(({ context, value }) => ({
    path: pathOf(context, root),
    expected: context.at(-1)?.type.name ?? 'something else',
    got: describe(value),
  }));
}

function pathOf(context: t.Context, root: string): string {
  let path = root;
  context.forEach(({ key }, i) => {
    if (i === 0) return;
    if (isDictionary(context[i - 1]?.type)) path += '.*';
    else if (/^\d+$/.test(key)) path += `[${key}]`;
    else path += path === '' ? key : `.${key}`;
  });
  return path;
}

/** Whether the keys of this codec come from the wire and must not be shown. */
function isDictionary(codec: unknown): boolean {
  return (codec as { _tag?: unknown } | undefined)?._tag === 'DictionaryType';
}

/**
 * The number of malformed entries of a list that come with their errors. Finding the errors costs
 * far more than decoding.
 */
export const MAX_EXPLAINED = 20;

/** The errors of the other malformed entries. */
export const NOT_EXPLAINED: readonly DecodeIssue[] = [
  {
    path: '',
    expected: 'well-formed entries',
    got: `more than ${MAX_EXPLAINED} malformed ones`,
  },
];
