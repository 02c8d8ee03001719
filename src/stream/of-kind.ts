import { filter, type OperatorFunction } from 'rxjs';

/**
 * Lets through the values of some kinds, and narrows their type to them.
 *
 * @example
 * feed.all$.pipe(ofKind('identity_update')).subscribe(({ identity }) => show(identity));
 */
export function ofKind<
  In extends { readonly kind: string },
  K extends string,
  Out extends In = Extract<In, { kind: K }>,
>(...kinds: readonly K[]): OperatorFunction<In, Out> {
  const wanted: readonly string[] = kinds;
  return filter((value: In): value is Out => wanted.includes(value.kind));
}
