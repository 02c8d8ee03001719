import * as t from 'io-ts';
import { integer, recordOf, struct, type Codec } from './codec.js';

/** The region that a lobby runs in (docs/the-service.md, 2.9). */
export interface Region {
  /** A short human-readable identifier. */
  readonly region_id: string;
  readonly display_name: string;
}

export const Region: Codec<Region> = struct('Region', { region_id: t.string, display_name: t.string });

/**
 * The lobby that a player is to join (docs/the-service.md, 2.9). Deployed servers may add
 * deprecated fields.
 */
export interface Lobby {
  readonly lobby_id: string;
  readonly region: Region;
}

export const Lobby: Codec<Lobby> = struct('Lobby', { lobby_id: t.string, region: Region });

/** The player of a lobby join (docs/the-service.md, 2.9). */
export interface LobbyPlayer {
  /**
   * Sent through the socket to the lobby server, which confirms it with `players.connected`. It is
   * opaque, valid for about two minutes, and for one use.
   */
  readonly token: string;
}

export const LobbyPlayer: Codec<LobbyPlayer> = struct('LobbyPlayer', { token: t.string });

/** How long the service keeps the slot of a lobby join, in ms (docs/the-service.md, 3). */
export const RESERVATION_MS = 120_000;

/** An inclusive range of ports (docs/the-service.md, 2.9). */
export interface PortRange {
  readonly min: number;
  readonly max: number;
}

export const PortRange: Codec<PortRange> = struct('PortRange', { min: integer, max: integer });

/**
 * How to reach one named port of a lobby (docs/the-service.md, 2.9). `lobbyAddress` turns it into a
 * URL.
 */
export interface Port {
  readonly hostname: string;
  /** Whether the port uses TLS. */
  readonly is_tls: boolean;
  /** Host name and port together. Absent or null if a port range is used. */
  readonly host?: string | null | undefined;
  /** Absent or null if a port range is used. */
  readonly port?: number | null | undefined;
  /** Absent or null if a single port is used. */
  readonly port_range?: PortRange | null | undefined;
}

export const Port: Codec<Port> = struct(
  'Port',
  { hostname: t.string, is_tls: t.boolean },
  { host: t.string, port: integer, port_range: PortRange },
);

/**
 * The payload of a `matchmaker_lobby_join` event: a player is to join a lobby (docs/the-service.md,
 * 2.9).
 */
export interface LobbyJoin {
  readonly lobby: Lobby;
  readonly player: LobbyPlayer;
  /** One entry for each named port. */
  readonly ports: Readonly<Record<string, Port>>;
}

export const LobbyJoin: Codec<LobbyJoin> = struct('LobbyJoin', {
  lobby: Lobby,
  player: LobbyPlayer,
  ports: recordOf(Port),
});
