export { createConnection, type Connection } from './connection.js';
export { forceClose } from './force-close.js';
export { createLobbySocket, type LobbySocket, type RequestDetails } from './lobby-socket.js';
export type { LobbyMessage } from './message-buffer.js';
export { isCloseReason, type SocketClosed } from './socket-closed.js';
