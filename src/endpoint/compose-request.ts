import { checkArgument, describe, InputError, type AnyStruct } from '../protocol/index.js';
import type { TransportRequest } from '../transport/index.js';
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
  const { path, taken } = fillPath(endpoint.path, input);
  const query = pick(endpoint.query, input);
  const body = endpoint.body && pick(endpoint.body, input);
  refuseStrangers(input, [...taken, ...keysOf(endpoint.query), ...keysOf(endpoint.body)]);

  // Not URLSearchParams: it writes a blank as '+', and an index has to come back byte for byte.
  const search = Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
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
    picked[name] = checkArgument(name, codec, input[name]);
  }
  for (const [name, codec] of Object.entries(struct?.optional ?? {})) {
    if (input[name] != null) picked[name] = checkArgument(name, codec, input[name]);
  }
  return picked;
}

function keysOf(struct: AnyStruct | undefined): string[] {
  return [...Object.keys(struct?.required ?? {}), ...Object.keys(struct?.optional ?? {})];
}

/** A misspelt argument would be left out of the request without a word. */
function refuseStrangers(input: Fields, known: readonly string[]): void {
  const stranger = Object.keys(input).find(name => !known.includes(name));
  if (stranger !== undefined) {
    throw new InputError(
      stranger,
      `one of ${known.join(', ') || 'no arguments at all'}`,
      describe(input[stranger]),
    );
  }
}
