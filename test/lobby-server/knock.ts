import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A WebSocket handshake, byte for byte. */
export function handshake(path: string): string {
  return [
    `GET ${path} HTTP/1.1`,
    ...['Host: a', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
    `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`,
    '\r\n',
  ].join('\r\n');
}

/** A client that sends a WebSocket handshake, and then nothing by itself; `before` is sent ahead of it. */
export async function knock(port: number, path: string, before = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(before + handshake(path));
  return socket;
}
