export type { GateLogEntry } from './gate-log-entry.js';
export { lobbyGate } from './lobby-gate.js';
export type { LobbyGateConfig } from './lobby-gate-config.js';
export type { LobbyMessage } from './lobby-message.js';
export type { LobbyPlayers } from './lobby-players.js';
export type { LobbySocket } from './lobby-socket.js';
export { players } from './players.js';
export type { SocketClosed } from './socket-closed.js';
