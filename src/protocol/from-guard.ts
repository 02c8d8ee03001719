import * as t from 'io-ts';

/** A codec that only looks: what `is` lets through, it returns as it came. Its name is what an error says was expected. */
export function fromGuard<A>(name: string, is: (u: unknown) => u is A): t.Type<A> {
  return new t.Type<A>(name, is, (u, context) => (is(u) ? t.success(u) : t.failure(u, context)), t.identity);
}
