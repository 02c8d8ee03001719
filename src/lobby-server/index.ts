export type { GateLogEntry } from './gate-log-entry.js';
export { lobbyGate } from './lobby-gate.js';
export type { LobbyGateConfig } from './lobby-gate-config.js';
export { players, type LobbyPlayers } from './players.js';
export type { LobbyMessage, LobbySocket, SocketClosed } from './socket/index.js';
