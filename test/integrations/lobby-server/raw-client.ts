import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** The bytes of a WebSocket handshake request. `headers` are further lines of it. */
export function handshakeRequest(path: string, headers = ''): string {
  return [
    `GET ${path} HTTP/1.1`,
    'Host: a',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`,
    `${headers}\r\n`,
  ].join('\r\n');
}

/**
 * Connects by TCP and sends a WebSocket handshake, after the text in `before`. It sends nothing
 * else by itself.
 */
export async function connectRaw(port: number, path: string, before = '', headers = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(before + handshakeRequest(path, headers));
  return socket;
}

/**
 * A frame as clients send them (RFC 6455, 5.2), masked with zeros. `opcode` is 0 for a further
 * fragment, 1 for a text.
 */
export function frame(
  opcode: number,
  text: string,
  isLast = true,
  encoding: BufferEncoding = 'utf8',
): Buffer {
  const length = Buffer.byteLength(text, encoding);
  if (length > 0xffff) throw new Error('longer than these frames may be');
  const extended = length < 126 ? [] : [length >> 8, length & 0xff];
  const head = [(isLast ? 0x80 : 0) | opcode, 0x80 | (length < 126 ? length : 126), ...extended, 0, 0, 0, 0];
  return Buffer.concat([Buffer.from(head), Buffer.from(text, encoding)]);
}
