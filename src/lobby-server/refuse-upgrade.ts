import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { SchedulerLike } from 'rxjs';
import { destroySoon } from './destroy-soon.js';
import type { Refusal } from './refusal.js';

/** Answers a request for a WebSocket with an HTTP status, and closes its connection. */
export function refuseUpgrade(
  socket: Duplex,
  { status, reason, retryAfter }: Refusal,
  scheduler: SchedulerLike,
): void {
  socket.once('finish', () => socket.destroy());
  const headers = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: text/plain',
    `Content-Length: ${Buffer.byteLength(reason)}`,
    ...(retryAfter === undefined ? [] : [`Retry-After: ${retryAfter}`]),
  ];
  destroySoon(socket, scheduler);
  socket.end(`${headers.join('\r\n')}\r\n\r\n${reason}`);
}
