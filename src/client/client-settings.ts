import { asyncScheduler, type SchedulerLike } from 'rxjs';
import {
  checkEndpoint,
  endpoints as defaultEndpoints,
  type BaseUrls,
  type Endpoints,
  type RequestContext,
} from '../endpoint/index.js';
import {
  aBoolean,
  aFunction,
  checkArgument,
  checkOptions,
  given,
  InputError,
  milliseconds,
  plainObject,
  rejectUnknownKeys,
  schedulerLike,
  type Check,
  type Guard,
  type Options,
} from '../error/index.js';
import { identityEventList, IdentityEventList, type EventCodecs } from '../protocol/index.js';
import {
  clockJumps,
  WATCH_OPTIONS,
  watchSettings,
  type EventFeedConfig,
  type WatchConfig,
} from '../stream/index.js';
import { fromFetch, withDeadline, withLog, withToken, type Transport } from '../transport/index.js';
import { baseUrl } from './base-url.js';
import type { ClientConfig } from './client-config.js';

type AnyConfig = ClientConfig<EventCodecs>;

const transportFunction: Guard<Transport> = {
  name: 'a function from a request to an Observable, such as fromFetch() returns',
  is: (u): u is Transport => typeof u === 'function',
};
/** Checked in detail elsewhere. */
const anything: Check = { name: 'anything', is: () => true };

const OPTIONS: Options<ClientConfig> = {
  url: anything,
  groupUrl: anything,
  matchmakerUrl: anything,
  apiUrl: anything,
  token: anything,
  endpoints: plainObject,
  events: plainObject,
  insecure: aBoolean,
  deadline: milliseconds,
  watch: plainObject,
  backoff: plainObject,
  linger: milliseconds,
  transport: transportFunction,
  log: aFunction,
  random: aFunction,
  scheduler: schedulerLike,
};
const { wake$, deadline, minInterval, burst, retention } = WATCH_OPTIONS;
const CLIENT_WATCH_OPTIONS: Options<NonNullable<ClientConfig['watch']>> = {
  ...{ wake$, deadline, minInterval, burst, retention },
};

/** Kinds that this library uses itself. */
const RESERVED_KINDS = ['identity_update', 'matchmaker_lobby_join', 'unknown', 'malformed'];

/** A checked {@link ClientConfig} with its defaults filled in. */
export interface ClientSettings {
  /** For requests that do not block. */
  readonly plain: RequestContext;
  /** For single requests that block because they have an index. */
  readonly blocking: RequestContext;
  /** For the polls of a watch, which enforces their deadline itself. */
  readonly polling: RequestContext;
  readonly endpoints: Endpoints;
  readonly watch: WatchConfig<unknown>;
  readonly feed: EventFeedConfig;
  readonly scheduler: SchedulerLike;
}

/** Checks a config and fills in the defaults. Throws an `InputError` that says what to change. */
export function clientSettings(config: AnyConfig): ClientSettings {
  checkArgument('config', plainObject, config);
  checkOptions<AnyConfig>(config, OPTIONS);
  checkOptions(config.watch, CLIENT_WATCH_OPTIONS, 'watch');
  const { log, random, backoff, linger, deadline = 15_000, scheduler = asyncScheduler } = config;
  const { transport = fromFetch({ scheduler }) } = config;
  const baseUrls = resolveUrls(config);
  const now = () => scheduler.now();
  const authorized = withToken(log ? withLog(transport, log, now) : transport, config.token, { scheduler });
  const context = (transport: Transport): RequestContext => ({ transport, baseUrls, now });

  const watch: WatchConfig<unknown> = {
    scheduler,
    wake$: clockJumps({ scheduler }),
    ...(log && { log }),
    ...(random && { random }),
    ...(backoff && { backoff }),
    ...given(config.watch),
  };
  const { deadline: pollDeadline } = watchSettings(watch);
  return {
    plain: context(withDeadline(authorized, deadline, scheduler)),
    blocking: context(withDeadline(authorized, pollDeadline, scheduler)),
    polling: context(authorized),
    endpoints: resolveEndpoints(config),
    watch,
    feed: { scheduler, ...(linger !== undefined && { linger }) },
    scheduler,
  };
}

function resolveUrls(config: AnyConfig): BaseUrls {
  const { insecure = false } = config;
  const all = config.url === undefined ? undefined : baseUrl('url', config.url, insecure);
  const baseUrls: Record<string, string> = {};
  for (const service of ['group', 'matchmaker', 'api'] as const) {
    const name = `${service}Url` as const;
    const url = config[name] === undefined ? all : baseUrl(name, config[name], insecure);
    if (url !== undefined) baseUrls[service] = url;
  }
  if (Object.keys(baseUrls).length > 0) return baseUrls;
  throw new InputError('url', "the service's base URL; or give groupUrl, matchmakerUrl, apiUrl", 'nothing');
}

function resolveEndpoints({ endpoints = {}, events = {} }: AnyConfig): Endpoints {
  rejectUnknownKeys(endpoints, Object.keys(defaultEndpoints), 'endpoints');
  const replaced = given(endpoints);
  for (const [name, endpoint] of Object.entries(replaced)) {
    checkEndpoint(endpoint, `endpoints.${name}`, defaultEndpoints[name as keyof Endpoints]);
  }
  for (const [kind, codec] of Object.entries(events)) {
    if (RESERVED_KINDS.includes(kind))
      throw new InputError('events', 'kinds that this library does not know itself', kind);
    if (typeof (codec as { decode?: unknown } | null)?.decode !== 'function')
      throw new InputError(`events.${kind}`, 'a codec created by struct() or io-ts', 'something else');
  }
  const chosen = { ...defaultEndpoints, ...replaced };
  if (Object.keys(events).length === 0) return chosen;
  if (chosen.eventsWatch.response !== IdentityEventList) {
    const rule =
      'left out if endpoints.eventsWatch has a response of its own: identityEventList() there declares kinds';
    throw new InputError('events', rule, 'both');
  }
  return { ...chosen, eventsWatch: { ...chosen.eventsWatch, response: identityEventList(events) } };
}
