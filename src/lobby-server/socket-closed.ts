/** How a socket ended. */
export interface SocketClosed {
  /** The close code that this side closed it with, or else the player's; 1005 where he said none, 1006 where
   * the connection broke. */
  readonly code: number;
  readonly reason: string;
}
