import {
  checkEndpoint,
  endpoints as defaultEndpoints,
  likeReplaced,
  type Endpoint,
  type Endpoints,
} from '../endpoint/index.js';
import {
  checkArgument,
  checkOptions,
  given,
  InputError,
  plainObject,
  rejectUnknownKeys,
  type Options,
} from '../error/index.js';
import {
  identityEventList,
  IdentityEventList,
  type EventCodecs,
  type LiveEvent,
  type NoOwnEvents,
} from '../protocol/index.js';
import { CONTEXT_OPTIONS, type ContextConfig } from './context.js';

/** The options of `createClient`. A URL and the token are required; everything else is optional. */
export interface ClientConfig<Codecs extends EventCodecs = NoOwnEvents> extends ContextConfig {
  /**
   * Replacements for built-in endpoints, with the same input and answer: for servers with other paths. Everything that uses
   * an endpoint (roster, feed, gate) then uses the replacement.
   */
  readonly endpoints?: Partial<Endpoints>;
  /**
   * Codecs of your own event kinds, by their names on the wire. These kinds become members of `LiveEvent`, with the decoded
   * value as `payload`. For example: `feed.on('chat_message')`.
   */
  readonly events?: Codecs;
}

const OPTIONS: Options<ClientConfig> = { ...CONTEXT_OPTIONS, endpoints: plainObject, events: plainObject };

/** Kinds that this library uses itself. */
const RESERVED_KINDS: readonly string[] = [
  'identity_update',
  'matchmaker_lobby_join',
  'unknown',
  'malformed',
] satisfies LiveEvent['kind'][];

/** Checks a config, and divides it into that of its context and its endpoints. Throws an `InputError` that says what to change. */
export function clientParts(config: ClientConfig<EventCodecs>): {
  readonly context: ContextConfig;
  readonly endpoints: Endpoints;
} {
  checkArgument('config', plainObject, config);
  checkOptions<object>(config, OPTIONS);
  const { endpoints, events, ...context } = given(config);
  return { context, endpoints: resolveEndpoints(endpoints, events) };
}

function resolveEndpoints(endpoints: Partial<Endpoints> = {}, events: EventCodecs = {}): Endpoints {
  rejectUnknownKeys(endpoints, Object.keys(defaultEndpoints), 'endpoints');
  const replaced = Object.entries(given(endpoints)).map(([name, endpoint]) => {
    const builtIn = defaultEndpoints[name as keyof Endpoints];
    checkEndpoint(endpoint, `endpoints.${name}`, builtIn);
    return [name, likeReplaced(endpoint as Endpoint, builtIn)];
  });
  for (const [kind, codec] of Object.entries(events)) {
    if (RESERVED_KINDS.includes(kind))
      throw new InputError('events', 'kinds that this library does not know itself', kind);
    if (typeof (codec as { decode?: unknown } | null)?.decode !== 'function')
      throw new InputError(`events.${kind}`, 'a codec created by struct() or io-ts', 'something else');
  }
  const chosen: Endpoints = { ...defaultEndpoints, ...(Object.fromEntries(replaced) as Partial<Endpoints>) };
  if (Object.keys(events).length === 0) return chosen;
  if (chosen.eventsWatch.response !== IdentityEventList) {
    const rule =
      'left out if endpoints.eventsWatch has a response of its own: identityEventList() there declares kinds';
    throw new InputError('events', rule, 'both');
  }
  const response = identityEventList(events) as unknown as typeof IdentityEventList;
  return { ...chosen, eventsWatch: { ...chosen.eventsWatch, response } };
}
