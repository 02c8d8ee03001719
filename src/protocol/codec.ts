import * as t from 'io-ts';
import * as argument from '../error/index.js';
import type { DecodeIssue, Guard } from '../error/index.js';

/** Validates and decodes a JSON value. Codecs may come from io-ts, from this library or from your own code. */
export interface Codec<A> extends t.Type<A, unknown> {
  /** @internal Exists in types only. It lets the compiler check that a codec covers every field of its interface. */
  readonly _fields?: (field: keyof A) => keyof A;
}

/**
 * A codec of any type. It has a name here so that declarations which TypeScript infers for users can refer to it: with pnpm,
 * for example, io-ts is not theirs to import.
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- an alias would be replaced by io-ts's name
export interface AnyCodec extends t.Mixed {}

/** Creates a codec that only validates: a valid value is returned unchanged. Errors use its name as what was expected. */
function fromGuard<A>({ name, is }: Guard<A>): Codec<A> {
  return new t.Type<A, unknown>(
    name,
    is,
    (u, context) => (is(u) ? t.success(u) : t.failure(u, context)),
    t.identity,
  );
}

/**
 * An integer as a plain `number`. io-ts's `Int` is branded, which is inconvenient for something like a follower count.
 *
 * @example
 * ```ts
 * const Score = struct('Score', { points: integer });
 * ```
 */
export const integer: Codec<number> = fromGuard({
  name: 'integer',
  is: (u): u is number => Number.isInteger(u),
});

/**
 * A JSON object with any fields. They are not checked.
 *
 * @example
 * ```ts
 * const Match = struct('Match', { match_id: nonEmptyString }, { settings: jsonObject });
 * ```
 */
export const jsonObject: Codec<Readonly<Record<string, unknown>>> = fromGuard({
  ...argument.plainObject,
  name: 'object',
});

/** A watch index or an anchor in an answer: an opaque string that must fit in a URL, since it is sent back in one. */
export const cursor: Codec<string> = fromGuard(argument.cursor);

/**
 * A watch index or an anchor as an argument. Deployed servers fail on an empty one: omit it instead.
 *
 * @example
 * ```ts
 * const query = struct('ChangesQuery', {}, { watch_index: cursorArgument });
 * ```
 */
export const cursorArgument: Codec<string> = fromGuard(argument.cursorArgument);

/**
 * A string argument that must not be empty, such as a token.
 *
 * @example
 * ```ts
 * const body = struct('InviteBody', { identity_id: nonEmptyString });
 * ```
 */
export const nonEmptyString: Codec<string> = fromGuard(argument.nonEmptyString);

/**
 * A positive integer as an argument, such as a page size.
 *
 * @example
 * ```ts
 * const query = struct('ScoresQuery', {}, { count: positiveInteger });
 * ```
 */
export const positiveInteger: Codec<number> = fromGuard(argument.positiveInteger);

/**
 * A string with some known values, which editors suggest. Any other value is accepted too, since the interface document
 * does not say which values are allowed.
 */
export function suggested<Known extends string>(): Codec<Known | (string & {})> {
  return t.string;
}

/** Converts io-ts errors to {@link DecodeIssue}s whose paths start at `root`. */
export function decodeIssues(
  errors: t.Errors,
  root = '',
  describe = argument.shapeOf,
): readonly DecodeIssue[] {
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
 * The answer of an operation that returns no data: an empty body, or a JSON object whose fields are ignored. Any other body
 * with a 2xx status, such as a proxy's HTML page, does not come from the service and fails to decode.
 *
 * @example
 * const leave = endpoint({ method: 'POST', service: 'group', path: '/v1/leave', response: Acknowledged });
 */
export const Acknowledged: Codec<void> = new t.Type<void, unknown>(
  'object or nothing',
  (u): u is void => u === undefined,
  (u, context) => (u === undefined || jsonObject.is(u) ? t.success(undefined) : t.failure(u, context)),
  () => ({}),
);
