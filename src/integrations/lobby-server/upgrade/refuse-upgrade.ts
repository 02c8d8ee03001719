import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { fromEvent, type SchedulerLike } from 'rxjs';
import type { Refusal } from '../admission/index.js';
import { forceClose } from '../socket/index.js';

/** Answers an upgrade request with an HTTP status, the reason as the body, and closes its connection. */
export function refuseUpgrade(
  socket: Duplex,
  { status, reason, retryAfter, headers = [] }: Refusal,
  scheduler: SchedulerLike,
): void {
  socket.once('finish', () => socket.destroy());
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: text/plain',
    `Content-Length: ${Buffer.byteLength(reason)}`,
    ...(retryAfter === undefined ? [] : [`Retry-After: ${retryAfter}`]),
    ...headers,
  ];
  // Even if the client does not read the answer.
  forceClose(() => socket.destroy(), fromEvent(socket, 'close'), scheduler);
  socket.end(`${lines.join('\r\n')}\r\n\r\n${reason}`);
}
