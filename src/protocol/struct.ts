import * as t from 'io-ts';
import { isLeft } from '#fp-ts/Either';
import { FieldTable } from './field-table.js';
import { jsonObject } from './json-object.js';

type Fields<R extends t.Props> = { readonly [K in keyof R]: t.TypeOf<R[K]> };
type OptionalFields<O extends t.Props> = { readonly [K in keyof O]?: t.TypeOf<O[K]> | null | undefined };

/** The codec that {@link struct} makes; its fields are there for whoever wants to walk a payload. */
export interface Struct<R extends t.Props, O extends t.Props> extends t.Type<
  Fields<R> & OptionalFields<O>,
  unknown
> {
  readonly required: R;
  readonly optional: O;
}

/** A {@link Struct} of any fields. */
export type AnyStruct = t.Mixed & { readonly required: t.Props; readonly optional: t.Props };

/**
 * The codec of a JSON object with some fields required and some optional.
 *
 * Optional means absent **or null**, because deployed servers send `null`. Keys it does not know pass through
 * untouched, and a value that fits (whose every field its codec's `is` accepts) is returned as it is: nothing is copied, and
 * codecs that change what already fits, as a trimming one does, have no say.
 *
 * @example
 * const Region = struct({ region_id: t.string }, { display_name: t.string });
 */
export function struct<R extends t.Props, O extends t.Props = Record<never, t.Mixed>>(
  required: R,
  optional: O = {} as O,
): Struct<R, O> {
  type A = Fields<R> & OptionalFields<O>;
  const must = new FieldTable(required);
  const may = new FieldTable(optional);
  const is = (u: unknown): u is A => jsonObject.is(u) && must.fits(u, false) && may.fits(u, true);

  const validate: t.Validate<unknown, A> = (u, context) => {
    if (is(u)) return t.success(u);
    if (!jsonObject.is(u)) return t.failure(u, context);
    const errors: t.Errors = [];
    const changed: [string, unknown][] = [];
    const field = (key: string, codec: t.Mixed) => {
      const result = codec.validate(
        u[key],
        t.appendContext(context, key, codec, u[key]),
      ) as t.Validation<unknown>;
      if (isLeft(result)) errors.push(...result.left);
      else if (result.right !== u[key]) changed.push([key, result.right]);
    };
    for (const [key, codec] of Object.entries(required)) field(key, codec);
    for (const [key, codec] of Object.entries(optional)) if (u[key] != null) field(key, codec);
    return errors.length > 0 ? t.failures(errors) : t.success({ ...u, ...Object.fromEntries(changed) } as A);
  };

  const all: [string, t.Mixed][] = [...Object.entries(required), ...Object.entries(optional)];
  const encode = all.every(([, codec]) => codec.encode === t.identity)
    ? t.identity
    : (a: A): unknown => {
        const out: Record<string, unknown> = { ...a };
        for (const [key, codec] of all) if (out[key] != null) out[key] = codec.encode(out[key]);
        return out;
      };

  return Object.assign(new t.Type<A, unknown>('object', is, validate, encode), { required, optional });
}
