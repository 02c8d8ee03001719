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
} from '../error/index.js';
import { decodeIssues, type AnyStruct } from '../protocol/index.js';
import type { TransportRequest } from '../transport/index.js';
import type { Endpoint, Service } from './endpoint.js';

type Fields = Readonly<Record<string, unknown>>;

/** The base URLs of the services, without a slash at the end; one that is never used may be missing. */
export type BaseUrls = Readonly<Partial<Record<Service, string>>>;

/** The request that an endpoint makes of an input. Throws an `InputError` if the input or a base URL is not there or invalid. */
export function composeRequest(endpoint: Endpoint, input: unknown, baseUrls: BaseUrls): TransportRequest {
  const given = checkArgument('input', plainObject, input);
  const { path, parameters } = fillPath(endpoint.path, given);
  const query = pick(endpoint.query, given);
  const body = endpoint.body && pick(endpoint.body, given);
  rejectUnknownKeys(given, [...parameters, ...namesIn(endpoint.query), ...namesIn(endpoint.body)]);

  // Not URLSearchParams: it writes a blank as '+', and an index must return byte for byte.
  const search = Object.entries(query)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeText(name, String(value))}`)
    .join('&');
  return {
    method: endpoint.method,
    url: baseUrlOf(endpoint.service, baseUrls) + path + (search && `?${search}`),
    headers: body ? { 'content-type': 'application/json' } : {},
    ...(body && { body: JSON.stringify(body) }),
  };
}

function baseUrlOf(service: Service, baseUrls: BaseUrls): string {
  const url = baseUrls[service];
  if (url !== undefined) return url;
  throw new InputError(`${service}Url`, 'given to createClient, or url for all services', 'nothing');
}

/** A path with its parameters filled in, each encoded as one segment, and the names of those parameters. */
function fillPath(path: string, input: Fields): { path: string; parameters: readonly string[] } {
  const parameters: string[] = [];
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    parameters.push(name);
    return segment(name, input[name]);
  });
  return { path: filled, parameters };
}

function segment(name: string, value: unknown): string {
  const text = checkArgument(name, nonEmptyString, value);
  // URLs resolve these two, encoded or not, and the request would go to another endpoint.
  if (text === '.' || text === '..') {
    throw new InputError(name, "an identifier, and neither '.' nor '..'", `'${text}'`);
  }
  return encodeText(name, text);
}

/** A text as a part of a URL, all of it encoded. */
function encodeText(name: string, text: string): string {
  if (!isWellFormed(text)) throw new InputError(name, 'well-formed text', 'a string with a lone surrogate');
  return encodeURIComponent(text);
}

/** The fields of a struct from an input, each checked. Optional ones that are null or absent are left out. */
function pick(struct: AnyStruct | undefined, input: Fields): Fields {
  const picked: Record<string, unknown> = {};
  for (const [name, codec] of Object.entries(struct?.required ?? {})) {
    picked[name] = encode(name, codec, input[name]);
  }
  for (const [name, codec] of Object.entries(struct?.optional ?? {})) {
    if (input[name] != null) picked[name] = encode(name, codec, input[name]);
  }
  return picked;
}

function namesIn(struct: AnyStruct | undefined): string[] {
  return [...Object.keys(struct?.required ?? {}), ...Object.keys(struct?.optional ?? {})];
}

/** A value of the input as it goes on the wire. */
function encode(name: string, codec: t.Mixed, value: unknown): unknown {
  if (codec.is(value)) return codec.encode(value);
  const result = codec.decode(value) as t.Validation<unknown>;
  const [issue] = isLeft(result) ? decodeIssues(result.left, name) : [];
  // Without an issue it is what the codec would decode, and not what it encodes.
  throw new InputError(issue?.path ?? name, issue?.expected ?? codec.name, issue?.got ?? describe(value));
}
