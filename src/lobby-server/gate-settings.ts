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
} from '../protocol/index.js';
import type { LobbyGateConfig } from './lobby-gate-config.js';

/** A {@link LobbyGateConfig} with nothing left open but what may be left out. */
export type GateSettings = Required<Omit<LobbyGateConfig, 'path' | 'onGone' | 'onUnknown' | 'firstMessage'>> &
  Pick<LobbyGateConfig, 'path' | 'onGone' | 'onUnknown'> & {
    /** What makes a token of the first message's text; undefined where it may not carry one. */
    readonly firstMessage: ((text: string) => string | undefined) | undefined;
  };

/** Checks a config and fills in the defaults; throws an `InputError` that says what to change. */
export function gateSettings(config: LobbyGateConfig): GateSettings {
  checkArgument('config', jsonObject, config);
  const { server, client, path, query = 'token', firstMessage = false } = config;
  if (typeof (server as { on?: unknown } | undefined)?.on !== 'function') {
    throw new InputError('server', 'a server of node:http or node:https', describe(server));
  }
  if (typeof (client as Partial<typeof client> | undefined)?.matchmaker?.players.connected !== 'function') {
    throw new InputError('client', 'a client, as createClient makes one', describe(client));
  }
  if (path !== undefined && !path.startsWith('/')) {
    throw new InputError('path', 'a path that begins with /', describe(path));
  }
  if (query !== false) checkArgument('query', nonEmptyString, query);
  if (query === false && firstMessage === false) {
    throw new InputError('query', 'a name, or firstMessage: a token has to come somehow', 'neither');
  }
  return {
    server,
    client,
    ...(path !== undefined && { path }),
    query,
    firstMessage: firstMessage === true ? text => text : firstMessage || undefined,
    ...(config.onGone && { onGone: config.onGone }),
    ...(config.onUnknown && { onUnknown: config.onUnknown }),
    isOriginAllowed: config.isOriginAllowed ?? (() => true),
    isAddressAllowed: config.isAddressAllowed ?? (() => true),
    addressOf: config.addressOf ?? (({ socket }) => socket.remoteAddress ?? ''),
    deadline: checkArgument('deadline', milliseconds, config.deadline ?? 5_000),
    heartbeat: checkArgument('heartbeat', positiveInteger, config.heartbeat ?? 30_000),
    ...numbers(config),
    log: quietly(config.log),
    scheduler: config.scheduler ?? asyncScheduler,
  };
}

function numbers(config: LobbyGateConfig) {
  const positive = (name: keyof LobbyGateConfig, fallback: number) =>
    checkArgument(name, positiveInteger, config[name] ?? fallback);
  return {
    maxChecks: positive('maxChecks', 256),
    maxWaiting: positive('maxWaiting', 1_024),
    maxPayload: positive('maxPayload', 65_536),
    maxHeldMessages: positive('maxHeldMessages', 64),
    maxHeldBytes: positive('maxHeldBytes', 262_144),
    maxUnsent: positive('maxUnsent', 1_048_576),
  };
}
