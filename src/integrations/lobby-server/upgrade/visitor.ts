import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { EMPTY, type Observable } from 'rxjs';
import { WebSocketServer, type WebSocket } from 'ws';
import { PLAYER_PROTOCOL } from '../../../player/index.js';
import { Connection, toCloseReason } from '../socket/index.js';
import type { GateSettings } from '../lobby-gate-config.js';
import { inSeconds, REFUSALS, type Refusal } from '../report/index.js';
import { addressOf, refuseUpgrade, type Upgrade } from './upgrades.js';

/** A client that is not in yet. It is admitted or refused once, or neither if it has left. */
export class Visitor {
  readonly address: string;
  /** The path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /**
   * Why it is refused at once. It sent no handshake, or `addressOf` failed.
   */
  readonly refusal: Refusal | undefined;
  readonly #socket: Duplex;
  readonly #settings: GateSettings;
  /**
   * Completes the upgrade. Removed once it has been called, since it keeps the whole request in
   * memory.
   */
  #complete: (() => WebSocket | undefined) | undefined;
  #stopWaiting: (() => void) | undefined;
  #connection: Connection | undefined;
  #isSettled = false;
  /** How many bytes had been written to the socket after this side's last answer. */
  #written: number | undefined;

  constructor(
    { request, socket, head }: Upgrade,
    complete: (() => WebSocket | undefined) | undefined,
    settings: GateSettings,
  ) {
    const address = addressOf(request, settings);
    this.address = address ?? '';
    this.url = request.url ?? '/';
    this.headers = request.headers;
    this.#socket = socket;
    this.#settings = settings;
    this.#complete = complete;
    this.#written = bytesWritten(socket);
    // A client must not send data before the answer (RFC 6455, 4.1).
    if (!complete || head.length > 0) this.refusal = REFUSALS.noHandshake;
    else if (address === undefined) this.refusal = REFUSALS.hookFailed;
  }

  /**
   * The service is being asked about the token. A client that sends data before the upgrade is
   * refused, and a client that ends its connection has left.
   */
  wait(): void {
    if (this.#connection) return;
    const socket = this.#socket;
    const refuse = () => void this.refuse(REFUSALS.noHandshake);
    const destroy = () => void socket.destroy();
    // Unread data would hide that the client has left.
    socket.on('data', refuse).on('end', destroy);
    this.#stopWaiting = () => socket.off('data', refuse).off('end', destroy).pause();
  }

  /** Whether it is a `lobbyConnection`, as far as it says itself. */
  get isOurs(): boolean {
    return this.headers['sec-websocket-protocol'] === PLAYER_PROTOCOL;
  }

  /** Completes the upgrade, so that the client can send its token. `undefined` if it has left. */
  open(): Connection | undefined {
    if (this.#connection || this.#socket.destroyed) return this.#connection;
    this.#stopWaiting?.();
    if (this.#isAnsweredTwice()) return undefined;
    try {
      const ws = this.#complete?.();
      this.#connection = ws && new Connection(ws, this.#socket, this.#settings);
    } catch {
      // Another listener of the server has upgraded this socket.
      this.#socket.destroy();
    }
    this.#complete = undefined;
    this.#written = bytesWritten(this.#socket);
    // Before anything of the client is read, to which ws may answer.
    if (!this.#isSettled) setImmediate(() => this.#isSettled || this.#isAnsweredTwice());
    this.#socket.resume();
    return this.#connection;
  }

  /**
   * Lets the client in. `undefined` if it has left or been refused. A client that may come back has
   * not left if its connection has dropped.
   */
  admit(mayComeBack = false): Connection | undefined {
    return this.#settle(mayComeBack) ? this.open() : undefined;
  }

  /**
   * Answers with the refusal, before the upgrade by HTTP, after it by a close frame, and logs it.
   * Emits nothing.
   */
  refuse(refusal: Refusal): Observable<never> {
    if (!this.#settle()) return EMPTY;
    const { reason, retryAfter = 0 } = refusal;
    const { report, scheduler } = this.#settings;
    // A close frame has no header for it.
    const seconds = inSeconds(retryAfter);
    const wait = seconds > 1 ? `; retry-after=${seconds}` : '';
    if (this.#connection) this.#connection.closeOrTerminate(refusal.code, toCloseReason(reason + wait));
    else if (!this.#isAnsweredTwice()) refuseUpgrade(this.#socket, refusal, scheduler);
    const code = this.#connection ? refusal.code : refusal.status;
    report.onRefused(refusal, code, this.address);
    return EMPTY;
  }

  /**
   * Whether another listener of the server has answered the request. That is logged. No client
   * understands two answers, so its connection ends.
   */
  #isAnsweredTwice(): boolean {
    const { server, report } = this.#settings;
    // If the gate is the only listener, this is the late answer to an earlier request.
    if (bytesWritten(this.#socket) === this.#written || server.listenerCount('upgrade') === 1) return false;
    report.onAnsweredTwice(this.address);
    this.#socket.destroy();
    return true;
  }

  /** Returns whether the client still has to be answered. */
  #settle(mayComeBack = false): boolean {
    const connection = this.#connection;
    const isHere = connection
      ? connection.isOpen || (mayComeBack && !connection.isOver)
      : !this.#socket.destroyed;
    const isPending = !this.#isSettled && isHere;
    this.#isSettled = true;
    return isPending;
  }
}

/** `undefined` if it is no socket of `node:net`. */
function bytesWritten(socket: Duplex): number | undefined {
  return (socket as Partial<Socket>).bytesWritten;
}

/** Makes a visitor of an upgrade. ws checks the handshake, and waits for the call of `complete`. */
export function createVisitors(settings: GateSettings): (upgrade: Upgrade) => Visitor {
  const { maxPayload, closeTimeout } = settings;
  // ws validates the handshake, then calls `verifyClient` synchronously. Its callback is kept until
  // the client is let in.
  const completions = new WeakMap<IncomingMessage, () => void>();
  // A variable, because the types of ws do not know the last three yet.
  const limits = {
    maxPayload,
    // Small pieces cost much more memory than the bytes in them.
    maxFragments: Math.max(16, Math.ceil(maxPayload / 1_024)),
    maxBufferedChunks: Math.max(32, Math.ceil(maxPayload / 512)),
    // Also for a client that sends a close frame and then keeps the connection.
    closeTimeout,
  };
  const server = new WebSocketServer({
    ...limits,
    noServer: true,
    clientTracking: false,
    perMessageDeflate: settings.perMessageDeflate,
    verifyClient: ({ req }: { req: IncomingMessage }, done: (isVerified: true) => void) =>
      completions.set(req, () => done(true)),
  });
  // Otherwise ws would answer by itself.
  server.on('wsClientError', () => undefined);

  return upgrade => {
    const { request, socket, head } = upgrade;
    let ws: WebSocket | undefined;
    server.handleUpgrade(request, socket, head, opened => {
      ws = opened;
    });
    const complete = completions.get(request);
    const open = () => {
      complete?.();
      return ws;
    };
    return new Visitor(upgrade, complete && open, settings);
  };
}
