import * as t from 'io-ts';
import { struct } from './struct.js';

/**
 * The player of a lobby join (interface document, 2.9). Its `token` is handed to the lobby server through the socket,
 * and confirmed there with `players.connected`. It is opaque, valid for about two minutes, and good for one use.
 */
export const LobbyPlayer = struct({ token: t.string });
export type LobbyPlayer = t.TypeOf<typeof LobbyPlayer>;
