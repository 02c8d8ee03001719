import * as t from 'io-ts';
import { isLeft } from '#fp-ts/Either';
import { checkArgument, nonEmptyString, plainObject } from '../error/index.js';
import { jsonObject, MAX_ERRORS, type AnyCodec, type Codec } from './codec.js';

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
  checkArgument('name', nonEmptyString, name);
  checkArgument('required', plainObject, required);
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
