import * as t from 'io-ts';
import * as argument from '../error/index.js';
import type { DecodeIssue, Guard } from '../error/index.js';

/** What decodes a value from JSON, and checks it on the way: a codec of io-ts, of this library, or of your own. */
export interface Codec<A> extends t.Type<A, unknown> {
  /** In types only: it lets the compiler see that a codec has every field of the interface that it is declared for. */
  readonly _fields?: (field: keyof A) => keyof A;
}

/** A codec that only checks: a valid value passes as it is. Its name is what an error says was expected. */
export function fromGuard<A>({ name, is }: Guard<A>): Codec<A> {
  return new t.Type<A, unknown>(
    name,
    is,
    (u, context) => (is(u) ? t.success(u) : t.failure(u, context)),
    t.identity,
  );
}

/** A whole number as a plain `number`. io-ts's own `Int` is branded, and no user wants to unwrap a follower count. */
export const integer: Codec<number> = fromGuard({
  name: 'integer',
  is: (u): u is number => Number.isInteger(u),
});

/** A JSON object of the game's own: its fields are not looked at. */
export const jsonObject: Codec<Readonly<Record<string, unknown>>> = fromGuard({
  ...argument.plainObject,
  name: 'object',
});

/** A watch index or an anchor in an answer: an opaque string that fits a URL, since it is sent back in one. */
export const cursor: Codec<string> = fromGuard(argument.cursor);

/** A watch index or an anchor as an argument. An empty one makes deployed servers fail: leave it out instead. */
export const cursorArgument: Codec<string> = fromGuard(argument.cursorArgument);

/** A string argument that must say something: a token, say. */
export const nonEmptyString: Codec<string> = fromGuard(argument.nonEmptyString);

/** A count as an argument. */
export const positiveInteger: Codec<number> = fromGuard(argument.positiveInteger);

/**
 * A string of which some values are known: an editor suggests them, and no other value is refused, since the interface
 * document does not say what is allowed.
 */
export function suggested<Known extends string>(): Codec<Known | (string & {})> {
  return t.string;
}

/** What io-ts found wrong, as {@link DecodeIssue}s whose paths begin at `root`. */
export function decodeIssues(errors: t.Errors, root = ''): readonly DecodeIssue[] {
  return errors.map(({ context, value }) => ({
    path: pathOf(context, root),
    expected: context.at(-1)?.type.name ?? 'something else',
    got: argument.describe(value),
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
