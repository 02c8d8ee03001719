import { InputError } from '../../../error/index.js';
import { publish } from './events.js';
import { findRecord, type PlayerRecord } from './records.js';
import { newToken } from './bearer-tokens.js';
import type { World } from './world.js';

/**
 * The states of a player token (docs/the-service.md, 3), and `removed`. A token is `removed` after
 * players.disconnected has freed its slot.
 */
export type PlayerState = 'reserved' | 'connected' | 'expired' | 'removed';

/** How many slots of a lobby are taken. */
export interface PlayerCount {
  /** Slots of tokens that can still be confirmed. */
  readonly reserved: number;
  /** Slots of confirmed players. */
  readonly connected: number;
}

/**
 * Beyond this number of players, expired and removed ones are deleted. An emulator may run for
 * weeks.
 */
const MAX_PLAYERS = 10_000;

/** The current state of a player. */
export function stateOf({ now, reservation }: World, { state, reservedAt }: PlayerRecord): PlayerState {
  return state === 'reserved' && now() - reservedAt >= reservation ? 'expired' : state;
}

export function playerState(world: World, token: string): PlayerState | undefined {
  const player = world.players.get(token);
  return player && stateOf(world, player);
}

export function playersIn(world: World, lobby_id: string): PlayerCount {
  const count = { reserved: 0, connected: 0 };
  for (const player of world.players.values()) {
    if (player.lobby_id !== lobby_id) continue;
    const state = stateOf(world, player);
    if (state === 'reserved' || state === 'connected') count[state]++;
  }
  return count;
}

export function reservePlayer(world: World, lobby_id: string): string {
  const { maxPlayers } = findRecord(world.lobbies, 'lobby_id', lobby_id);
  const { reserved, connected } = playersIn(world, lobby_id);
  if (reserved + connected >= maxPlayers) {
    throw new InputError('lobby_id', 'a lobby with a free slot', `one whose ${maxPlayers} slots are taken`);
  }
  deleteOldPlayers(world);
  const token = newToken(world, 'player');
  world.players.set(token, { lobby_id, reservedAt: world.now(), state: 'reserved' });
  return token;
}

export function sendLobbyJoin(world: World, identity_id: string, lobby_id: string): string {
  const { lobby, ports } = findRecord(world.lobbies, 'lobby_id', lobby_id);
  findRecord(world.identities, 'identity_id', identity_id);
  const token = reservePlayer(world, lobby_id);
  publish(world, identity_id, { matchmaker_lobby_join: { lobby, player: { token }, ports } });
  return token;
}

function deleteOldPlayers(world: World): void {
  if (world.players.size < MAX_PLAYERS) return;
  for (const [token, player] of world.players) {
    const state = stateOf(world, player);
    if (state === 'expired' || state === 'removed') world.players.delete(token);
  }
}
