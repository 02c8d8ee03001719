import type * as t from 'io-ts';
import {
  checkArgument,
  describe,
  InputError,
  jsonObject,
  refuseStrangers,
  type AnyStruct,
} from '../protocol/index.js';
import type { TransportRequest } from '../transport/index.js';
import { encodeText } from './encode-text.js';
import type { Endpoint } from './endpoint.js';
import { fillPath } from './fill-path.js';
import type { Wire } from './wire.js';

type Fields = Readonly<Record<string, unknown>>;

/** The request that an endpoint makes of an input; throws an `InputError` where it cannot. */
export function composeRequest(
  endpoint: Endpoint,
  input: Fields,
  baseUrls: Wire['baseUrls'],
): TransportRequest {
  checkArgument('input', jsonObject, input);
  const { path, taken } = fillPath(endpoint.path, input);
  const query = pick(endpoint.query, input);
  const body = endpoint.body && pick(endpoint.body, input);
  refuseStrangers(input, [...taken, ...keysOf(endpoint.query), ...keysOf(endpoint.body)]);

  // Not URLSearchParams: it writes a blank as '+', and an index has to come back byte for byte.
  const search = Object.entries(query)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeText(name, String(value))}`)
    .join('&');
  return {
    method: endpoint.method,
    url: baseUrls[endpoint.service] + path + (search && `?${search}`),
    headers: body ? { 'content-type': 'application/json' } : {},
    ...(body && { body: JSON.stringify(body) }),
  };
}

/** The fields of a struct out of an input, each checked; optional ones that are null or absent are left out. */
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

function keysOf(struct: AnyStruct | undefined): string[] {
  return [...Object.keys(struct?.required ?? {}), ...Object.keys(struct?.optional ?? {})];
}

/** A value of the input as it goes on the wire. */
function encode(name: string, codec: t.Mixed, value: unknown): unknown {
  if (codec.is(value)) return codec.encode(value);
  checkArgument(name, codec, value);
  // It is the wire's form of what the codec makes of it, and not that itself.
  throw new InputError(name, codec.name, describe(value));
}
