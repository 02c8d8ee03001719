import { asyncScheduler } from 'rxjs';
import { checkArgument, describe, InputError, milliseconds, guarded, rejectUnknownKeys } from '../error/index.js';
import { jsonObject, nonEmptyString, positiveInteger } from '../protocol/index.js';
import type { LobbyGateConfig } from './lobby-gate-config.js';

/** A {@link LobbyGateConfig} with nothing left open. */
export type GateSettings = Required<Omit<LobbyGateConfig, 'path' | 'firstMessage'>> & {
  /** Undefined for every path. */
  readonly path: string | undefined;
  /** What makes a token of the first message's text; undefined where it may not carry one. */
  readonly firstMessage: ((text: string) => string | undefined) | undefined;
};

/** What has to be a function, where it is given. */
const HOOKS = ['onGone', 'onUnknown', 'isOriginAllowed', 'isAddressAllowed', 'addressOf', 'log'] as const;

/** What has to be a positive integer, and its default. */
const NUMBERS = {
  maxChecks: 256,
  maxWaiting: 1_024,
  maxPayload: 65_536,
  maxHeldMessages: 64,
  maxHeldBytes: 262_144,
  maxBufferedAmount: 1_048_576,
  firstMessageDeadline: 5_000,
  heartbeat: 30_000,
} as const satisfies Partial<Record<keyof LobbyGateConfig, number>>;

const OTHERS = ['server', 'client', 'path', 'tokenParameter', 'firstMessage', 'scheduler'] as const;

/** Checks a config and fills in the defaults; throws an `InputError` that says what to change. */
export function gateSettings(config: LobbyGateConfig): GateSettings {
  checkArgument('config', jsonObject, config);
  rejectUnknownKeys(config, [...OTHERS, ...HOOKS, ...Object.keys(NUMBERS)]);
  checkParties(config);
  for (const name of HOOKS) {
    if (config[name] !== undefined) checkFunction(name, config[name], 'a function');
  }
  return {
    server: config.server,
    client: config.client,
    path: config.path,
    ...tokenPlaces(config),
    ...numbers(config),
    onGone: config.onGone ?? (() => undefined),
    onUnknown: config.onUnknown ?? (() => undefined),
    isOriginAllowed: config.isOriginAllowed ?? (() => true),
    isAddressAllowed: config.isAddressAllowed ?? (() => true),
    addressOf: config.addressOf ?? (({ socket }) => socket.remoteAddress ?? ''),
    scheduler: config.scheduler ?? asyncScheduler,
    log: guarded(config.log),
  };
}

function checkParties({ server, client, path }: LobbyGateConfig): void {
  // What an application framework makes has listeners too, but does not listen.
  if (typeof (Object(server) as { listening?: unknown }).listening !== 'boolean') {
    throw new InputError('server', 'a server of node:http or node:https', describe(server));
  }
  const { matchmaker } = Object(client) as { matchmaker?: { players?: { connected?: unknown } } };
  checkFunction('client', matchmaker?.players?.connected, 'a client, as createClient makes one', client);
  if (path !== undefined && !checkArgument('path', nonEmptyString, path).startsWith('/')) {
    throw new InputError('path', 'a path that begins with /', describe(path));
  }
}

function tokenPlaces({ tokenParameter = 'token', firstMessage = false }: LobbyGateConfig) {
  if (tokenParameter !== false) checkArgument('tokenParameter', nonEmptyString, tokenParameter);
  if (typeof firstMessage !== 'boolean')
    checkFunction('firstMessage', firstMessage, 'a boolean or a function');
  if (tokenParameter === false && firstMessage === false) {
    throw new InputError('tokenParameter', 'a name, or firstMessage: a token has to come somehow', 'neither');
  }
  const asItIs = (text: string) => text;
  return { tokenParameter, firstMessage: firstMessage === true ? asItIs : firstMessage || undefined };
}

function numbers(config: LobbyGateConfig): Record<keyof typeof NUMBERS, number> {
  const checked = { ...NUMBERS } as Record<keyof typeof NUMBERS, number>;
  for (const name of Object.keys(NUMBERS) as (keyof typeof NUMBERS)[]) {
    checked[name] = checkArgument(name, positiveInteger, config[name] ?? NUMBERS[name]);
  }
  for (const name of ['firstMessageDeadline', 'heartbeat'] as const) {
    checkArgument(name, milliseconds, checked[name]);
  }
  return checked;
}

function checkFunction(name: string, value: unknown, expected: string, got = value): void {
  if (typeof value !== 'function') throw new InputError(name, expected, describe(got));
}
