import type * as t from 'io-ts';
import type { Endpoint } from './endpoint.js';

/** What an endpoint answers with. */
export type EndpointAnswer<E extends Endpoint> = t.TypeOf<E['response']>;
