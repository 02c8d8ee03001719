import type * as t from 'io-ts';
import { checkArgument, fromGuard, type AnyStruct } from '../protocol/index.js';
import type { Service } from './service.js';

const pathname = fromGuard(
  "a path that begins with '/'",
  (u): u is string => typeof u === 'string' && u.startsWith('/'),
);
const serviceName = fromGuard(
  "'group', 'matchmaker' or 'api'",
  (u): u is Service => u === 'group' || u === 'matchmaker' || u === 'api',
);
const codec = fromGuard(
  'an io-ts codec',
  (u): u is object => typeof (u as { decode?: unknown } | null)?.decode === 'function',
);

/** The names in braces of a path: `'group_id'` of `/v1/groups/{group_id}/members`. */
export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

/** One operation of a service, as plain data: what to send, where, and what comes back. */
export interface Endpoint<
  Path extends string = string,
  Query extends AnyStruct | undefined = AnyStruct | undefined,
  Body extends AnyStruct | undefined = AnyStruct | undefined,
  Response extends t.Mixed = t.Mixed,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Which of the client's base URLs the path goes behind. */
  readonly service: Service;
  /** Begins with `/`; parameters stand in braces. */
  readonly path: Path;
  /** The codec of the query's parameters. */
  readonly query?: Query;
  /** The codec of the JSON body's fields. */
  readonly body?: Body;
  /** The codec of the answer's body; `Acknowledged` where only the OK counts. */
  readonly response: Response;
}

/**
 * States an endpoint of your own, to be used with `client.request`, and with `client.watch` or `client.pages` where it
 * takes a `watch_index` or an `anchor`. Path parameters, query and body become one flat, typed input.
 *
 * @example
 * const disconnected = endpoint({
 *   method: 'POST', service: 'matchmaker', path: '/v1/players/disconnected',
 *   body: struct({ player_token: nonEmptyString }), response: Acknowledged,
 * });
 * client.request(disconnected, { player_token }).subscribe();
 */
export function endpoint<
  const Path extends string,
  Response extends t.Mixed,
  Query extends AnyStruct | undefined = undefined,
  Body extends AnyStruct | undefined = undefined,
>(definition: Endpoint<Path, Query, Body, Response>): Endpoint<Path, Query, Body, Response> {
  checkArgument('path', pathname, definition.path);
  checkArgument('service', serviceName, definition.service);
  checkArgument('response', codec, definition.response);
  return definition;
}
