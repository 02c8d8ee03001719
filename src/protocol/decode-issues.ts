import type * as t from 'io-ts';
import type { DecodeIssue } from './decode-issue.js';
import { describe } from './describe.js';

/** What io-ts found wrong, as {@link DecodeIssue}s, the paths beginning at `root`. */
export function decodeIssues(errors: t.Errors, root = ''): readonly DecodeIssue[] {
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

/** Whether the keys under this codec come from the wire, and so must not be shown. */
function isDictionary(codec: unknown): boolean {
  return (codec as { _tag?: unknown } | undefined)?._tag === 'DictionaryType';
}
