import { checkArgument, describe, InputError, plainObject, type Guard } from '../error/index.js';
import { Port, type LobbyJoin, type PortRange } from './lobby.js';

/** The address of a lobby. */
export interface LobbyAddress {
  readonly hostname: string;
  /** The port, or the first port of the range. */
  readonly port: number;
  /** The inclusive port range. `undefined` if the lobby has a single port. */
  readonly range: PortRange | undefined;
  readonly isTls: boolean;
  /**
   * A WebSocket URL: `wss:` if the port uses TLS, otherwise `ws:`. It does not contain the player's
   * token.
   */
  readonly url: string;
}

const aLobbyJoin: Guard<Pick<LobbyJoin, 'ports'>> = {
  name: 'a lobby join, as feed.lobbyJoin$ emits it',
  is: (u): u is LobbyJoin =>
    plainObject.is(u) && plainObject.is(u.ports) && Object.values(u.ports).every(Port.is),
};

/**
 * The address of a lobby from a lobby join (docs/the-service.md, 2.9): the port with the given
 * name, or the only port.
 *
 * Throws an `InputError` if this is no lobby join, if there is no such port, if there are several
 * ports and no name is given, or if the port has neither a number nor a range.
 *
 * @example
 * feed.lobbyJoin$.subscribe(join => new WebSocket(lobbyAddress(join, 'game').url));
 */
export function lobbyAddress(join: Pick<LobbyJoin, 'ports'>, name?: string): LobbyAddress {
  const { ports } = checkArgument('join', aLobbyJoin, join);
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
  const range = port_range ?? undefined;
  const port = entry.port ?? range?.min;
  if (port === undefined) throw new InputError('name', 'a port with a number or a range', 'one with neither');
  // An IPv6 address stands in brackets in a URL, and perhaps already in the event.
  const host = /^[^[].*:/.test(hostname) ? `[${hostname}]` : hostname;
  return { hostname, port, range, isTls, url: `${isTls ? 'wss' : 'ws'}://${host}:${port}` };
}
