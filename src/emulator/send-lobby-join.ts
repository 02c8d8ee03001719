import { findRecord } from './find-record.js';
import { publish } from './publish.js';
import { reservePlayer } from './reserve-player.js';
import type { World } from './world.js';

/** Sends an identity to a lobby: issues a player token and a `matchmaker_lobby_join` that carries it. Returns the token. */
export const sendLobbyJoin =
  (world: World) =>
  (identity_id: string, lobby_id: string): string => {
    const { lobby, ports } = findRecord(world.lobbies, 'lobby_id', lobby_id);
    findRecord(world.identities, 'identity_id', identity_id);
    const token = reservePlayer(world)(lobby_id);
    publish(world)(identity_id, { matchmaker_lobby_join: { lobby, player: { token }, ports } });
    return token;
  };
