import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** The bytes of a WebSocket handshake request. */
export function handshakeRequest(path: string): string {
  return [
    `GET ${path} HTTP/1.1`,
    ...['Host: a', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
    `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`,
    '\r\n',
  ].join('\r\n');
}

/** Connects by TCP and sends a WebSocket handshake, after the text in `before`. It sends nothing else by itself. */
export async function connectRaw(port: number, path: string, before = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(before + handshakeRequest(path));
  return socket;
}
