import type * as t from 'io-ts';
import type { Endpoint, PathParameter } from './endpoint.js';

type FieldsOf<S> = S extends t.Any ? t.TypeOf<S> : unknown;

/** What an endpoint takes, in one flat object: its path parameters, its query and its body. */
export type EndpointInput<E extends Endpoint> =
  E extends Endpoint<infer Path, infer Query, infer Body>
    ? Readonly<Record<PathParameter<Path>, string>> & FieldsOf<Query> & FieldsOf<Body>
    : never;
