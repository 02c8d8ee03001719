export { eventsSince } from './events.js';
export type { AddedIdentity } from './identities.js';
export { lobbyPorts, type AddedLobby, type LobbyPlan } from './lobbies.js';
export { stateOf, type PlayerCount, type PlayerState } from './players.js';
export { randomId, randomNumbers, seedNumber } from './random-numbers.js';
export {
  findRecord,
  type Bearer,
  type GroupRecord,
  type PlayerRecord,
  type WorldRecords,
} from './records.js';
export type { SavedWorld } from './saved-world.js';
export { createWorld, recordsOf, worldOptions, type World, type WorldConfig } from './world.js';
export { worldCommands } from './world-commands.js';
