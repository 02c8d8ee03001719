import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** A request for a WebSocket, before it is one. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}
