import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Refusal } from './refusal.js';

/** Answers a request for a WebSocket with an HTTP status, and closes its connection. */
export function refuseUpgrade(socket: Duplex, { status, reason }: Refusal): void {
  if (socket.destroyed) return;
  socket.on('error', () => socket.destroy());
  socket.once('finish', () => socket.destroy());
  const headers = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: text/plain',
    `Content-Length: ${Buffer.byteLength(reason)}`,
    ...(status === 503 || status === 429 ? ['Retry-After: 1'] : []),
  ];
  socket.end(`${headers.join('\r\n')}\r\n\r\n${reason}`);
}
