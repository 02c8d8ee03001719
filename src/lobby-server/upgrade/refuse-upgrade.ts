import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { fromEvent, type SchedulerLike } from 'rxjs';
import type { Refusal } from '../admission/index.js';
import { forceClose } from '../socket/index.js';

/** Answers an upgrade request with an HTTP status, the reason as the body, and closes its connection. */
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
  destroyAfterGrace(socket, scheduler);
  socket.end(`${headers.join('\r\n')}\r\n\r\n${reason}`);
}

/** Destroys the connection of a refused request, even if the client does not read the answer. */
export function destroyAfterGrace(socket: Duplex, scheduler: SchedulerLike): void {
  forceClose(() => socket.destroy(), fromEvent(socket, 'close'), scheduler);
}
