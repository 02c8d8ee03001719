export type { GateLogEntry } from './gate-log-entry.js';
export { lobbyGate } from './lobby-gate.js';
export type { LobbyGateConfig } from './lobby-gate-config.js';
export type { LobbyMessage, LobbySocket, SocketClosed } from './lobby-socket.js';
export { players, type LobbyPlayers } from './players.js';
