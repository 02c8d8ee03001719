import type * as t from 'io-ts';
import { isLeft } from '#fp-ts/Either';
import {
  checkArgument,
  describe,
  InputError,
  isWellFormed,
  nonEmptyString,
  plainObject,
  rejectUnknownKeys,
  tryOr,
} from '../error/index.js';
import { decodeBy, decodeIssues, ServiceOk, type AnyCodec, type AnyStruct } from '../protocol/index.js';
import type { TransportRequest } from '../transport/index.js';
import { checkEndpoint, inputNames, type Endpoint, type Service } from './endpoint.js';

type Values = Readonly<Record<string, unknown>>;

/**
 * The base URLs of the services, without a trailing slash. URLs that are not used may be missing.
 */
export type BaseUrls = Readonly<Partial<Record<Service, string>>>;

/** Where requests go. */
export interface Destinations {
  readonly baseUrls: BaseUrls;
  /**
   * The routes of the service itself. An endpoint with another one is your own: a gateway may lead
   * it to a server of yours, behind the same URL.
   */
  readonly serviceRoutes: readonly string[];
}

/** The route of an endpoint, whatever its input is. */
export function routeOf({ service, path }: Endpoint): string {
  return service + path;
}

/** The options of sending a request. See `TransportRequest`. */
export type RequestOptions = Pick<
  TransportRequest,
  'kind' | 'pollOf' | 'maxBody' | 'keepalive' | 'needsFreshConnection' | 'onArrival' | 'onSent'
>;

/**
 * Composes the request of an endpoint from its input. Throws an `InputError` if the input is
 * invalid or a URL is missing.
 */
export function composeRequest(
  endpoint: Endpoint,
  input: unknown,
  { baseUrls, serviceRoutes }: Destinations,
  options?: RequestOptions,
): TransportRequest {
  const { names, takesNothing } = checked(endpoint);
  const route = routeOf(endpoint);
  // A copy of `players.connected` may have another path.
  const isOfService = (endpoint.response as unknown) === ServiceOk || serviceRoutes.includes(route);
  const given = checkArgument('input', plainObject, input);
  const path = fillPath(endpoint.path, given);
  const query = pick(endpoint.query, given);
  const body = endpoint.body && pick(endpoint.body, given);
  rejectUnknownKeys(given, names, '', 'field');

  // URLSearchParams encodes a space as '+', but an index must be sent back byte for byte.
  const search = Object.entries(query)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeText(name, String(value))}`)
    .join('&');
  return {
    // A spread that adds names to another one would cost each request a separate hidden class in
    // Node 20.
    method: endpoint.method,
    // This is as HTTP defines it.
    idempotent: endpoint.method !== 'POST' && endpoint.method !== 'PATCH',
    url: baseUrlOf(endpoint.service, baseUrls) + path + (search && `?${search}`),
    server: isOfService ? endpoint.service : route,
    ...(takesNothing && { emptyOk: isOfService ? 'plain' : 'any' }),
    headers: body ? { 'content-type': 'application/json' } : {},
    ...(body && { body: JSON.stringify(body) }),
    ...options,
  };
}

/** What is known of an endpoint once it has been checked. */
interface CheckedEndpoint {
  /** The names that its input may have. */
  readonly names: readonly string[];
  /** Whether its answer may be without content, so that the content proves nothing. */
  readonly takesNothing: boolean;
}

/** An endpoint is checked when it is first used. */
function checked(endpoint: Endpoint): CheckedEndpoint {
  const known = checkedEndpoints.get(endpoint);
  if (known) return known;
  checkEndpoint(endpoint);
  const takes = (json: unknown) => tryOr(() => !isLeft(decodeBy(endpoint.response, json)), false);
  const result = { names: inputNames(endpoint), takesNothing: takes(undefined) || takes({}) };
  checkedEndpoints.set(endpoint, result);
  return result;
}

const checkedEndpoints = new WeakMap<Endpoint, CheckedEndpoint>();

function baseUrlOf(service: Service, baseUrls: BaseUrls): string {
  const url = baseUrls[service];
  if (url !== undefined) return url;
  throw new InputError(`${service}Url`, 'given to createClient, or url for all services', 'nothing');
}

/** Fills in the parameters of a path, each encoded as one segment. */
function fillPath(path: string, input: Values): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, input[name]));
}

function segment(name: string, value: unknown): string {
  const text = checkArgument(name, nonEmptyString, value);
  // URL parsers resolve these two even if they are encoded. Then the request would go to another
  // endpoint.
  if (text === '.' || text === '..') {
    throw new InputError(name, "an identifier other than '.' and '..'", `'${text}'`);
  }
  return encodeText(name, text);
}

/** Encodes a text as a part of a URL. */
function encodeText(name: string, text: string): string {
  if (!isWellFormed(text)) throw new InputError(name, 'well-formed text', 'a string with a lone surrogate');
  return encodeURIComponent(text);
}

/**
 * Picks and checks the fields of a struct from the input. Optional fields that are null or absent
 * are omitted.
 */
function pick(struct: AnyStruct | undefined, input: Values): Values {
  const picked: Record<string, unknown> = {};
  for (const [name, codec] of Object.entries(struct?.required ?? {})) {
    picked[name] = encode(name, codec, input[name]);
  }
  for (const [name, codec] of Object.entries(struct?.optional ?? {})) {
    if (input[name] != null) picked[name] = encode(name, codec, input[name]);
  }
  return picked;
}

/** Encodes a value of the input for the wire. */
function encode(name: string, codec: AnyCodec, value: unknown): unknown {
  if (codec.is(value)) return codec.encode(value);
  const result = codec.decode(value) as t.Validation<unknown>;
  const [issue] = isLeft(result) ? decodeIssues(result.left, name, describe) : [];
  // Without an issue, the caller passed the wire format of the value, not the decoded value that
  // the codec encodes.
  throw new InputError(issue?.path ?? name, issue?.expected ?? codec.name, issue?.got ?? describe(value));
}
