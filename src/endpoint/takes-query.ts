import type { Endpoint } from './endpoint.js';

/** Whether an endpoint's query has these optional parameters. */
export type TakesQuery<E extends Endpoint, Parameters> =
  E extends Endpoint<string, infer Query>
    ? Query extends { readonly optional: Parameters }
      ? true
      : false
    : false;
