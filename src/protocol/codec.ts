import * as t from 'io-ts';
import { isLeft } from '#fp-ts/Either';
import * as argument from '../error/index.js';

/**
 * Validates and decodes a JSON value. Codecs may come from io-ts, from this library or from your
 * own code.
 */
export interface Codec<A> extends t.Type<A, unknown> {
  /**
   * @internal Exists in types only. It lets the compiler check that a codec covers every field of
   * its interface.
   */
  readonly _fields?: (field: keyof A) => keyof A;
}

/**
 * A codec of any type. It has a name here so that declarations which TypeScript infers for users
 * can refer to it. With pnpm, for example, users cannot import io-ts.
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- an alias would be replaced by io-ts's name
export interface AnyCodec extends t.Mixed {}

/**
 * A codec has the methods of io-ts that are called. A schema of another library may have a
 * `decode`, too, which returns something else.
 */
export const aCodec: argument.Guard<AnyCodec> = {
  name: 'a codec created by struct() or io-ts',
  is: (u): u is AnyCodec => {
    const { name, is, validate, decode } = Object(u) as Partial<AnyCodec>;
    return typeof name === 'string' && [is, validate, decode].every(argument.aFunction.is);
  },
};

/** Decodes a value. Throws if the `decode` of the codec returns neither of io-ts's two results. */
export function decodeBy<A>(codec: t.Type<A, unknown>, value: unknown): t.Validation<A> {
  const result = codec.decode(value);
  if (!isLeft(result) && (result as { _tag?: unknown } | undefined)?._tag !== 'Right') throw new TypeError();
  return result;
}

/** The number of errors that are reported of one value. A short text may have millions. */
const MAX_ERRORS = 5;

/**
 * Creates a codec that only validates: a valid value is returned unchanged. Its errors say the name
 * as the expected type.
 */
function fromGuard<A>({ name, is }: argument.Guard<A>): Codec<A> {
  return new t.Type<A, unknown>(
    name,
    is,
    (u, context) => (is(u) ? t.success(u) : t.failure(u, context)),
    t.identity,
  );
}

/**
 * An integer as a plain `number`. io-ts's `Int` is branded, which is inconvenient for values like a
 * follower count.
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

/**
 * A watch index or an anchor in an answer: an opaque string that must fit in a URL, since it is
 * sent back in one.
 */
export const cursor: Codec<string> = fromGuard(argument.cursor);

/**
 * A watch index or an anchor as an argument. Deployed servers fail on an empty one. Omit it
 * instead.
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
 * A string with some known values, which editors suggest. Any other value is accepted, too, since
 * the interface document does not say which values are allowed.
 */
export function suggested<Known extends string>(): Codec<Known | (string & {})> {
  return t.string;
}

/**
 * The answer of an operation that returns no data: an empty body, or a JSON object whose fields are
 * ignored. Any other body with a 2xx status, such as a proxy's HTML page, does not come from the
 * service and fails to decode.
 *
 * @example
 * const leave = endpoint({
 *   method: 'POST',
 *   service: 'group',
 *   path: '/v1/leave',
 *   response: Acknowledged,
 * });
 */
export const Acknowledged: Codec<void> = acknowledged();

/**
 * The OK of `players.connected` and `players.disconnected`. It is like `Acknowledged`, but a
 * separate codec, which a copy of these endpoints keeps. As long as nothing tells who has answered,
 * such an OK has to be as plain as the service sends it.
 */
export const ServiceOk: Codec<void> = acknowledged();

function acknowledged(): Codec<void> {
  return new t.Type<void, unknown>(
    'object or nothing',
    (u): u is void => u === undefined,
    (u, context) => (u === undefined || jsonObject.is(u) ? t.success(undefined) : t.failure(u, context)),
    () => ({}),
  );
}

/** The maximum number of members, or events, in an answer. */
const MAX_ENTRIES = 10_000;

/**
 * An array whose entries are decoded elsewhere, one after the other. `sizeOf` says how much an
 * entry counts. All of them count for at most 10,000.
 */
export function listOf(
  what: string,
  sizeOf: (entry: unknown) => number = () => 1,
): Codec<readonly unknown[]> {
  const is = (u: unknown): u is readonly unknown[] => {
    let size = 0;
    const isRoomFor = (entry: unknown) => {
      size += sizeOf(entry);
      return size <= MAX_ENTRIES;
    };
    return Array.isArray(u) && u.every(isRoomFor);
  };
  return collection(`array of at most ${MAX_ENTRIES} ${what}`, is, () => []);
}

/** An array of values that are only checked. Unlike io-ts's array, it stops at the fifth error. */
export function arrayOf<A>(item: Codec<A>): Codec<readonly A[]> {
  const is = (u: unknown): u is readonly A[] => Array.isArray(u) && u.every(item.is);
  return collection(`ReadonlyArray<${item.name}>`, is, u => (Array.isArray(u) ? u.entries() : []), item);
}

/**
 * An object of values that are only checked, with any names. No error shows the names. Unlike
 * io-ts's record, it stops at the fifth error.
 */
export function recordOf<A>(item: Codec<A>): Codec<Readonly<Record<string, A>>> {
  const is = (u: unknown): u is Readonly<Record<string, A>> =>
    jsonObject.is(u) && Object.values(u).every(item.is);
  const entriesOf = (u: unknown) => (jsonObject.is(u) ? Object.entries(u) : []);
  const codec = collection(`{ [K in string]: ${item.name} }`, is, entriesOf, item);
  return Object.assign(codec, { _tag: 'DictionaryType' });
}

function collection<A>(
  name: string,
  is: (u: unknown) => u is A,
  entriesOf: (u: unknown) => Iterable<readonly [key: string | number, value: unknown]>,
  item: t.Mixed = t.unknown,
): Codec<A> {
  const validate: t.Validate<unknown, A> = (u, context) => {
    if (is(u)) return t.success(u);
    const errors: t.Errors = [];
    for (const [key, value] of entriesOf(u)) {
      if (item.is(value)) continue;
      const result = item.validate(value, t.appendContext(context, String(key), item, value));
      if (isLeft(result)) errors.push(...result.left);
      if (errors.length >= MAX_ERRORS) break;
    }
    return errors.length > 0 ? t.failures(errors) : t.failure(u, context);
  };
  return new t.Type(name, is, validate, t.identity);
}

/** Codecs by the names of their fields. */
export type Fields = Readonly<Record<string, AnyCodec>>;

/** A codec created by {@link struct}. It exposes its fields, so that code can iterate over them. */
export interface Struct<A> extends Codec<A> {
  readonly required: Fields;
  readonly optional: Fields;
}

/** A {@link Struct} with any fields. */
export interface AnyStruct extends AnyCodec {
  readonly required: Fields;
  readonly optional: Fields;
}

/** The type that {@link struct} decodes to. Optional fields may be absent or null. */
export type FieldsOf<R extends Fields, O extends Fields = Record<never, never>> = Flat<
  { readonly [K in keyof R]: R[K]['_A'] } & {
    readonly [K in keyof O]?: O[K]['_A'] | null | undefined;
  }
>;

/**
 * Turns an intersection into one object type without a name, so that editors and error messages
 * show its fields.
 */
export type Flat<T> = { [K in keyof T]: T[K] } & {};

/**
 * Creates the codec of a JSON object with required and optional fields. Errors use `name`. The
 * codec stops at the fifth error.
 *
 * Optional means absent **or null**, because deployed servers send `null`. Unknown keys are passed
 * through. A value whose fields all satisfy their codec's `is` is returned unchanged, without a
 * copy. So a codec that would change a value that it accepts, for example by trimming it, has no
 * effect.
 *
 * Throws an `InputError` if there is no name or no fields.
 *
 * @example
 * const ChatMessage = struct('ChatMessage', { text: t.string }, { thread_id: t.string });
 */
export function struct<R extends Fields>(name: string, required: R): Struct<FieldsOf<R>>;
export function struct<R extends Fields, O extends Fields>(
  name: string,
  required: R,
  optional: O,
): Struct<FieldsOf<R, O>>;
export function struct<A>(name: string, required: Fields, optional: Fields = {}): Struct<A> {
  argument.checkArgument('name', argument.nonEmptyString, name);
  argument.checkArgument('required', argument.plainObject, required);
  const must = new FieldTable(required);
  const may = new FieldTable(optional);
  const is = (u: unknown): u is A => jsonObject.is(u) && must.fits(u, false) && may.fits(u, true);

  // Collecting errors costs far more than the check, and nearly every answer is valid.
  const validate: t.Validate<unknown, A> = (u, context) => {
    if (is(u)) return t.success(u);
    if (!jsonObject.is(u)) return t.failure(u, context);
    const errors: t.Errors = [];
    const changed: [string, unknown][] = [];
    const field = (key: string, codec: AnyCodec) => {
      const result = codec.validate(
        u[key],
        t.appendContext(context, key, codec, u[key]),
      ) as t.Validation<unknown>;
      if (isLeft(result)) errors.push(...result.left);
      else if (result.right !== u[key]) changed.push([key, result.right]);
    };
    for (const [key, codec] of Object.entries(required)) {
      if (errors.length < MAX_ERRORS) field(key, codec);
    }
    for (const [key, codec] of Object.entries(optional)) {
      if (u[key] != null && errors.length < MAX_ERRORS) field(key, codec);
    }
    return errors.length > 0 ? t.failures(errors) : t.success({ ...u, ...Object.fromEntries(changed) } as A);
  };

  const fields = [...Object.entries<AnyCodec>(required), ...Object.entries<AnyCodec>(optional)];
  const encode = fields.every(([, codec]) => codec.encode === t.identity)
    ? t.identity
    : (a: A): unknown => {
        const out: Record<string, unknown> = { ...(a as object) };
        for (const [key, codec] of fields) {
          if (out[key] != null) out[key] = codec.encode(out[key]);
        }
        return out;
      };

  return Object.assign(new t.Type<A, unknown>(name, is, validate, encode), { required, optional });
}

/** The codecs that a `typeof` check can replace. */
const BY_TYPEOF = new Map<unknown, string>([
  [t.string, 'string'],
  [t.number, 'number'],
  [t.boolean, 'boolean'],
]);

/**
 * The fields of a struct, prepared for a quick check. The check is a single pass without
 * allocations. It makes no function calls for strings, numbers and booleans, which most fields are.
 * It is a class because engines optimize one method for all structs, but each closure separately.
 */
class FieldTable {
  readonly #names: readonly string[];
  readonly #typeofs: readonly string[];
  readonly #codecs: readonly AnyCodec[];

  constructor(fields: Fields) {
    this.#names = Object.keys(fields);
    this.#codecs = Object.values(fields);
    this.#typeofs = this.#codecs.map(codec => BY_TYPEOF.get(codec) ?? '');
  }

  /** Whether every field is valid. An optional field may be null or absent, too. */
  fits(u: Readonly<Record<string, unknown>>, areOptional: boolean): boolean {
    for (let i = 0; i < this.#names.length; i++) {
      const value = u[this.#names[i]!];
      if (areOptional && value == null) continue;
      const type = this.#typeofs[i]!;
      if (type === '' ? !this.#codecs[i]!.is(value) : typeof value !== type) return false;
    }
    return true;
  }
}
