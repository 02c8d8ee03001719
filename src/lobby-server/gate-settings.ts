import { asyncScheduler, type SchedulerLike } from 'rxjs';
import {
  aBoolean,
  aFunction,
  checkArgument,
  checkOptions,
  describe,
  given,
  guarded,
  InputError,
  milliseconds,
  nonEmptyString,
  plainObject,
  positiveInteger,
  rejectUnknownKeys,
  schedulerLike,
  type Guard,
  type Options,
} from '../error/index.js';
import type { LobbyGateConfig, WsOptions } from './lobby-gate-config.js';

/** A {@link LobbyGateConfig} with its defaults filled in. */
export type GateSettings = Required<
  Omit<LobbyGateConfig, 'path' | 'token' | 'tokenParameter' | 'firstMessage'>
> & {
  /** Undefined for any path. */
  readonly path: string | undefined;
  /** Where an upgrade request has the token: in this query parameter, or elsewhere; undefined if it has none. */
  readonly token: { readonly parameter: string } | Exclude<LobbyGateConfig['token'], 'query'>;
  /** Extracts the token from the first message; undefined if that may not contain one. */
  readonly firstMessage: ((text: string) => string | undefined) | undefined;
};

/** A number that ws reads as one of 32 bits. A larger one would be no limit at all. */
const positiveInt32: Guard<number> = {
  name: 'a positive integer below 2,147,483,648',
  is: (u): u is number => positiveInteger.is(u) && u < 2 ** 31,
};
const positiveMilliseconds: Guard<number> = {
  name: 'a positive number of milliseconds, at most 2,147,483,647',
  is: (u): u is number => milliseconds.is(u) && u > 0,
};

const FUNCTIONS = ['onGone', 'onUnknown', 'isOriginAllowed', 'isAddressAllowed', 'addressOf', 'log'] as const;

/** The numbers, with what they must be and their defaults. */
const NUMBERS = {
  ...{ maxChecks: [positiveInteger, 256], maxWaiting: [positiveInteger, 1_024] },
  ...{ maxUnknown: [positiveInteger, 1_024], maxHooks: [positiveInteger, 64] },
  ...{ maxFirstMessage: [positiveInteger, 16_384], maxPayload: [positiveInt32, 65_536] },
  ...{ maxHeldMessages: [positiveInteger, 64], maxHeldBytes: [positiveInteger, 262_144] },
  maxBufferedAmount: [positiveInteger, 1_048_576],
  ...{ firstMessageDeadline: [positiveMilliseconds, 5_000], heartbeat: [positiveMilliseconds, 30_000] },
  ...{ unknownGrace: [milliseconds, 10_000], refusedMemory: [milliseconds, 10_000] },
  hookDeadline: [positiveMilliseconds, 300_000],
} as const satisfies Partial<Record<keyof LobbyGateConfig, readonly [Guard<number>, number]>>;

const OTHERS = [
  ...['server', 'client', 'path', 'token', 'tokenParameter', 'firstMessage', 'scheduler', 'ws'],
  ...['maxFragments', 'maxBufferedChunks'],
];

const WS_OPTIONS: Options<WsOptions> = {
  perMessageDeflate: { name: 'true, false or an object', is: u => aBoolean.is(u) || plainObject.is(u) },
  handleProtocols: aFunction,
  closeTimeout: positiveMilliseconds,
  allowSynchronousEvents: aBoolean,
  autoPong: aBoolean,
  maxPendingAutoPongs: positiveInt32,
  skipUTF8Validation: aBoolean,
};

/** Checks a config and fills in the defaults; throws an `InputError` that says what to change. */
export function resolveGateConfig(config: LobbyGateConfig): GateSettings {
  rejectUnknownKeys(checkArgument('config', plainObject, config), [
    ...OTHERS,
    ...FUNCTIONS,
    ...Object.keys(NUMBERS),
  ]);
  checkServerAndClient(config);
  checkOptions(config.ws, WS_OPTIONS, 'ws');
  for (const name of FUNCTIONS) {
    if (config[name] !== undefined) checkArgument(name, aFunction, config[name]);
  }
  return {
    server: config.server,
    client: config.client,
    path: config.path,
    ...resolveTokenSources(config),
    ...resolveNumbers(config),
    ws: given(config.ws ?? {}),
    onGone: config.onGone ?? (() => undefined),
    onUnknown: config.onUnknown ?? (() => undefined),
    isOriginAllowed: config.isOriginAllowed ?? (() => true),
    isAddressAllowed: config.isAddressAllowed ?? (() => true),
    addressOf: config.addressOf ?? (({ socket }) => socket.remoteAddress ?? ''),
    scheduler: checkArgument('scheduler', schedulerLike, config.scheduler ?? asyncScheduler) as SchedulerLike,
    log: guarded(config.log),
  };
}

function checkServerAndClient({ server, client, path }: LobbyGateConfig): void {
  // An Express app has listeners too, but it is not the HTTP server.
  if (typeof (Object(server) as { listening?: unknown }).listening !== 'boolean') {
    throw new InputError('server', 'a server of node:http or node:https', describe(server));
  }
  const { matchmaker } = Object(client) as { matchmaker?: { players?: { connected?: unknown } } };
  if (!aFunction.is(matchmaker?.players?.connected)) {
    throw new InputError('client', 'a client made by createClient', describe(client));
  }
  if (path !== undefined && !checkArgument('path', nonEmptyString, path).startsWith('/')) {
    throw new InputError('path', 'a path that starts with /', describe(path));
  }
}

function resolveTokenSources({ token, tokenParameter, firstMessage = false }: LobbyGateConfig) {
  if (token !== undefined && token !== 'query' && token !== 'subprotocol' && !aFunction.is(token)) {
    throw new InputError('token', "'query', 'subprotocol' or a function", describe(token));
  }
  if (tokenParameter !== undefined) {
    if (tokenParameter !== false) checkArgument('tokenParameter', nonEmptyString, tokenParameter);
    if (token !== undefined && !(token === 'query' && tokenParameter)) {
      throw new InputError('tokenParameter', "omitted, unless token is 'query'", describe(tokenParameter));
    }
  }
  if (typeof firstMessage !== 'boolean' && !aFunction.is(firstMessage)) {
    throw new InputError('firstMessage', 'true, false or a function', describe(firstMessage));
  }
  if (tokenParameter === false && firstMessage === false) {
    throw new InputError('tokenParameter', 'a name, unless firstMessage is set', 'neither');
  }
  const wholeText = (text: string) => text;
  const parameter = tokenParameter === false ? undefined : { parameter: tokenParameter ?? 'token' };
  return {
    token: token === undefined || token === 'query' ? parameter : token,
    firstMessage: firstMessage === true ? wholeText : firstMessage || undefined,
  };
}

function resolveNumbers(config: LobbyGateConfig) {
  const numbers = Object.fromEntries(
    Object.entries(NUMBERS).map(([name, [guard, byDefault]]) => [
      name,
      checkArgument(name, guard, config[name as keyof typeof NUMBERS] ?? byDefault),
    ]),
  ) as Record<keyof typeof NUMBERS, number>;
  const { maxPayload } = numbers;
  const {
    // Small pieces cost much more memory than the bytes that are in them.
    maxFragments = Math.max(16, Math.ceil(maxPayload / 1_024)),
    maxBufferedChunks = Math.max(32, Math.ceil(maxPayload / 512)),
  } = config;
  return {
    ...numbers,
    maxFragments: checkArgument('maxFragments', positiveInt32, maxFragments),
    maxBufferedChunks: checkArgument('maxBufferedChunks', positiveInt32, maxBufferedChunks),
  };
}
