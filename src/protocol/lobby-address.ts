import { describe, InputError } from '../error/index.js';
import type { LobbyJoin } from './lobby.js';

/** Where to reach a lobby. */
export interface LobbyAddress {
  readonly hostname: string;
  /** The port, or the first of its range. */
  readonly port: number;
  /** The range, both ends included, if the lobby listens on any port of one. */
  readonly range: { readonly min: number; readonly max: number } | undefined;
  readonly isTls: boolean;
  /** For a WebSocket: `wss:` if the port uses TLS, else `ws:`. It does not contain the player's token. */
  readonly url: string;
}

/**
 * Where a lobby join leads (interface document, 2.9): to the port of that name, or to its only one. Throws an `InputError`
 * if there is no such port, if there are several and none is named, or if the port has no number.
 *
 * @example
 * feed.lobbyJoin$.subscribe(join => new WebSocket(lobbyAddress(join, 'game').url));
 */
export function lobbyAddress({ ports }: Pick<LobbyJoin, 'ports'>, name?: string): LobbyAddress {
  const names = Object.keys(ports);
  const wanted = name ?? (names.length === 1 ? names[0] : undefined);
  const entry = wanted !== undefined && Object.hasOwn(ports, wanted) ? ports[wanted] : undefined;
  if (!entry) {
    throw new InputError(
      'name',
      `one of the lobby's ports: ${names.join(', ').slice(0, 200) || 'it has none'}`,
      describe(name),
    );
  }
  const { hostname, is_tls: isTls, port_range } = entry;
  const range = port_range ? { min: port_range.min, max: port_range.max } : undefined;
  const port = entry.port ?? range?.min;
  if (port === undefined) throw new InputError('name', 'a port with a number or a range', 'one with neither');
  return { hostname, port, range, isTls, url: `${isTls ? 'wss' : 'ws'}://${hostname}:${port}` };
}
