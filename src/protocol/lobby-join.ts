import * as t from 'io-ts';
import { Lobby } from './lobby.js';
import { LobbyPlayer } from './lobby-player.js';
import { Port } from './port.js';
import { struct } from './struct.js';

/** The payload of a `matchmaker_lobby_join` event: a player is to join a lobby (interface document, 2.9). */
export const LobbyJoin = struct({ lobby: Lobby, player: LobbyPlayer, ports: t.record(t.string, Port) });
export type LobbyJoin = t.TypeOf<typeof LobbyJoin>;
