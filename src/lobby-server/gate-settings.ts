import { asyncScheduler } from 'rxjs';
import {
  checkArgument,
  describe,
  InputError,
  jsonObject,
  milliseconds,
  nonEmptyString,
  positiveInteger,
  quietly,
  refuseStrangers,
} from '../protocol/index.js';
import type { LobbyGateConfig } from './lobby-gate-config.js';

/** What may be left out, and stays so. */
type Optional = 'path' | 'onGone' | 'onUnknown';

/** A {@link LobbyGateConfig} with nothing left open but what may be left out. */
export type GateSettings = Required<Omit<LobbyGateConfig, Optional | 'firstMessage'>> &
  Pick<LobbyGateConfig, Optional> & {
    /** What makes a token of the first message's text; undefined where it may not carry one. */
    readonly firstMessage: ((text: string) => string | undefined) | undefined;
  };

const HOOKS = ['onGone', 'onUnknown', 'isOriginAllowed', 'isAddressAllowed', 'addressOf', 'log'] as const;
const LIMITS = {
  ...{ maxChecks: 256, maxWaiting: 1_024 },
  ...{ maxPayload: 65_536, maxHeldMessages: 64, maxHeldBytes: 262_144, maxUnsent: 1_048_576 },
};
const KNOWN = [
  ...['server', 'client', 'path', 'query', 'firstMessage', 'deadline', 'heartbeat', 'scheduler'],
  ...[...HOOKS, ...Object.keys(LIMITS)],
];

/** Checks a config and fills in the defaults; throws an `InputError` that says what to change. */
export function gateSettings(config: LobbyGateConfig): GateSettings {
  checkArgument('config', jsonObject, config);
  refuseStrangers(config, KNOWN);
  checkParties(config);
  for (const name of HOOKS) {
    if (config[name] !== undefined) checkFunction(name, config[name], 'a function');
  }
  const { server, client, path, onGone, onUnknown } = config;
  return {
    ...{ server, client },
    ...(path !== undefined && { path }),
    ...(onGone && { onGone }),
    ...(onUnknown && { onUnknown }),
    ...tokenPlaces(config),
    ...limits(config),
    deadline: checkArgument('deadline', milliseconds, config.deadline ?? 5_000),
    heartbeat: checkArgument(
      'heartbeat',
      milliseconds,
      checkArgument('heartbeat', positiveInteger, config.heartbeat ?? 30_000),
    ),
    isOriginAllowed: config.isOriginAllowed ?? (() => true),
    isAddressAllowed: config.isAddressAllowed ?? (() => true),
    addressOf: config.addressOf ?? (({ socket }) => socket.remoteAddress ?? ''),
    scheduler: config.scheduler ?? asyncScheduler,
    log: quietly(config.log),
  };
}

function checkParties({ server, client, path }: LobbyGateConfig): void {
  const { on } = Object(server) as { on?: unknown };
  checkFunction('server', on, 'a server of node:http or node:https', server);
  const { matchmaker } = Object(client) as { matchmaker?: { players?: { connected?: unknown } } };
  checkFunction('client', matchmaker?.players?.connected, 'a client, as createClient makes one', client);
  if (path !== undefined && !checkArgument('path', nonEmptyString, path).startsWith('/')) {
    throw new InputError('path', 'a path that begins with /', describe(path));
  }
}

function tokenPlaces({ query = 'token', firstMessage = false }: LobbyGateConfig) {
  if (query !== false) checkArgument('query', nonEmptyString, query);
  if (typeof firstMessage !== 'boolean')
    checkFunction('firstMessage', firstMessage, 'a boolean or a function');
  if (query === false && firstMessage === false) {
    throw new InputError('query', 'a name, or firstMessage: a token has to come somehow', 'neither');
  }
  return { query, firstMessage: firstMessage === true ? (text: string) => text : firstMessage || undefined };
}

function limits(config: LobbyGateConfig): typeof LIMITS {
  const entries = Object.entries(LIMITS) as [keyof typeof LIMITS, number][];
  const checked = entries.map(([name, usual]) => [
    name,
    checkArgument(name, positiveInteger, config[name] ?? usual),
  ]);
  return Object.fromEntries(checked) as typeof LIMITS;
}

function checkFunction(name: string, value: unknown, expected: string, got = value): void {
  if (typeof value !== 'function') throw new InputError(name, expected, describe(got));
}
