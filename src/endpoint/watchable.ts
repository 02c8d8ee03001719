import type * as t from 'io-ts';
import type { WatchData } from '../protocol/index.js';
import type { EndpointAnswer } from './endpoint-answer.js';
import type { Endpoint } from './endpoint.js';
import type { TakesQuery } from './takes-query.js';

/** An endpoint that can be watched: it takes a `watch_index`, and its answer has a `watch.index`. Else `never`. */
export type Watchable<E extends Endpoint> =
  TakesQuery<E, { readonly watch_index: t.Mixed }> extends true
    ? EndpointAnswer<E> extends { readonly watch: WatchData }
      ? E
      : never
    : never;
