import type { Options } from '../../../error/index.js';

/** For each kind of a tagged union, what each field besides `kind` must be. */
export type FaultFields<Union extends { readonly kind: string }> = {
  readonly [Member in Union as Member['kind']]: Options<Omit<Member, 'kind'>>;
};
