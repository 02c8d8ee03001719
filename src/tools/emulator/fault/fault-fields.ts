import type { Options } from '../../../error/index.js';

/** For each kind of a tagged union, the checks of its fields besides `kind`. */
export type FaultFields<Union extends { readonly kind: string }> = {
  readonly [Member in Union as Member['kind']]: Options<Omit<Member, 'kind'>>;
};
