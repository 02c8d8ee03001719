import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** The open sockets of a server. */
export interface SocketPool {
  /** Makes all sockets dead that are open now. They stay open, but get no more answers. */
  readonly kill: () => void;
  readonly isDead: (socket: Socket) => boolean;
}

export function socketPool(server: Server): SocketPool {
  const open = new Set<Socket>();
  const dead = new WeakSet<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return {
    kill: () => {
      for (const socket of open) {
        dead.add(socket);
        // Otherwise Node would close the socket after it has been idle for a while.
        socket.setTimeout(0);
      }
    },
    isDead: socket => dead.has(socket),
  };
}
