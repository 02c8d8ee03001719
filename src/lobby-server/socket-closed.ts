/** How a socket ended. */
export interface SocketClosed {
  /** The close code of WebSocket: the one that this side closed it with, or else the player's; 1006 where neither said any. */
  readonly code: number;
  readonly reason: string;
}
