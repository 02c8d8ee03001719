import type * as t from 'io-ts';
import type { EndpointAnswer } from './endpoint-answer.js';
import type { Endpoint } from './endpoint.js';
import type { TakesQuery } from './takes-query.js';

/** An endpoint that can be paged through: it takes an `anchor`, and its answer may give one. Else `never`. */
export type Pageable<E extends Endpoint> =
  TakesQuery<E, { readonly anchor: t.Mixed }> extends true
    ? EndpointAnswer<E> extends { readonly anchor?: string | null | undefined }
      ? E
      : never
    : never;
