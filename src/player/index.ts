export { closeCode, CODE_OF_REASON, COMES_BACK, meaningOfClose, type GateReason } from './close-codes.js';
export type { PlayerMessage, WebSocketClass, WebSocketLike } from './gate-link.js';
export { isLobbyClosedError, LobbyClosedError, type LobbyClosedReason } from './lobby-closed-error.js';
export type { LobbyConnectionConfig, LobbyEntrance } from './lobby-connection-config.js';
export { lobbyConnection, type LobbyConnection } from './lobby-connection.js';
export type { LobbyStatus } from './lobby-status.js';
export { HEARTBEAT, parsePresented, PLAYER_PROTOCOL, welcomeText, type PresentedToken } from './welcome.js';
