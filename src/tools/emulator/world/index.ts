export { eventsSince, publish } from './events.js';
export { addGroup, joinGroup, leaveGroup } from './groups.js';
export { addIdentity, befriend, updatePresence, updateProfile, type AddedIdentity } from './identities.js';
export { addLobby, lobbyPorts, type AddedLobby, type LobbyPlan } from './lobbies.js';
export {
  playersIn,
  playerState,
  reservePlayer,
  sendLobbyJoin,
  stateOf,
  type PlayerCount,
  type PlayerState,
} from './players.js';
export { randomId, randomNumbers, seedNumber } from './random-numbers.js';
export { findRecord, type Bearer, type GroupRecord, type PlayerRecord } from './records.js';
export type { SavedWorld } from './saved-world.js';
export { expireToken, renewToken } from './bearer-tokens.js';
export { createWorld, saveWorld, worldOptions, type World, type WorldConfig } from './world.js';
