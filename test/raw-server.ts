import { createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP server that sends exactly the bytes that a test writes. */
export interface RawServer {
  readonly url: string;
  /** The sockets that were opened, oldest first. */
  readonly sockets: readonly Socket[];
  /** Everything received on all sockets, as text. */
  readonly received: () => string;
  readonly close: () => Promise<void>;
}

/**
 * Starts the server on a loopback port. `onRequest` is called for each complete request head; `nth`
 * starts at 0.
 */
export async function rawServer(onRequest: (socket: Socket, nth: number) => void): Promise<RawServer> {
  const sockets: Socket[] = [];
  let text = '';
  let requests = 0;
  const server = createServer(socket => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', data => {
      text += data.toString();
      if (data.includes('\r\n\r\n')) onRequest(socket, requests++);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sockets,
    received: () => text,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
