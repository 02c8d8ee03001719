/**
 * The gate of a lobby server, which admits only players whose token is confirmed.
 *
 * @module lobby-rx/lobby-server
 */

export type { PlayerMessage } from '../../player/index.js';
export { lobbyGate, type LobbyGate } from './lobby-gate.js';
export type { LobbyGateConfig } from './lobby-gate-config.js';
export type { PlayerSocket, SocketClosed } from './player-socket.js';
export { players, type LobbyPlayers } from './lobby-players.js';
export type { FreeSlotReason, GateLogEntry, GateStats } from './report/index.js';
export { slotFiles, type SlotFiles, type SlotFilesConfig } from './slots/index.js';
