import {
  HEARTBEAT,
  parsePresented,
  PLAYER_PROTOCOL,
  welcomeText,
  type PresentedToken,
} from '../../src/player/index.js';
import type { WebSocketClass, WebSocketLike } from 'lobby-rx';

/** A WebSocket that connects to nothing. A test plays the other side. */
export class FakeSocket implements WebSocketLike {
  readyState = 0;
  bufferedAmount = 0;
  binaryType = 'blob';
  onopen: (() => void) | null = null;
  onmessage: ((event: { readonly data: unknown }) => void) | null = null;
  onerror: ((event: object) => void) | null = null;
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null = null;
  readonly sent: unknown[] = [];
  readonly url: string;
  readonly protocols: readonly string[];
  /** How this side has closed it. */
  closed: { readonly code: number | undefined; readonly reason: string | undefined } | undefined;

  constructor(url: string, protocols: readonly string[]) {
    this.url = url;
    this.protocols = protocols;
  }

  send(data: unknown): void {
    this.sent.push(data);
  }

  close(code?: number, reason?: string): void {
    this.closed ??= { code, reason };
    this.readyState = 3;
  }

  open(): this {
    this.readyState = 1;
    this.onopen?.();
    return this;
  }

  say(data: unknown): this {
    this.onmessage?.({ data });
    return this;
  }

  /** Opens it, and admits the player. */
  admit(ticket: string | undefined, grace: number): this {
    return this.open().say(welcomeText(ticket, grace));
  }

  /** The connection ends with a close frame, or with 1006 and none. */
  end(code = 1006, reason = ''): void {
    this.readyState = 3;
    this.onclose?.({ code, reason });
  }

  /** The connection fails as in Node 22 if none could be made: without a `close`. */
  fail(): void {
    this.readyState = 3;
    this.onerror?.({});
  }

  /** What a player who has not been welcomed has sent. */
  get presented(): PresentedToken {
    return parsePresented(String(this.sent[0]));
  }

  /** The number of heartbeats that were sent. */
  get heartbeats(): number {
    return this.sent.filter(data => data === HEARTBEAT).length;
  }

  get isOurs(): boolean {
    return this.protocols.length === 1 && this.protocols[0] === PLAYER_PROTOCOL;
  }
}

/** The sockets that a connection opens, in order. */
export function fakeSockets() {
  const opened: FakeSocket[] = [];
  class Socket extends FakeSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols);
      opened.push(this);
    }
  }
  return { opened, WebSocket: Socket as WebSocketClass };
}
