import type { Duplex } from 'node:stream';
import { AsyncSubject, fromEvent, scan, takeUntil, timer, type Observable, type Subscription } from 'rxjs';
import type { WebSocket } from 'ws';
import type { GateSettings } from '../lobby-gate-config.js';
import type { LobbyMessage, SocketClosed } from '../lobby-socket.js';
import { checkCloseFrame, closeFrameAfter } from './close-frame.js';
import { forceClose } from './force-close.js';
import { MessageBuffer } from './message-buffer.js';

/** How long `maxBufferedAmount` may be exceeded, in ms: sending a single large message takes time. */
const STALL_TIMEOUT = 5_000;

/** So many times `maxBufferedAmount` are never held, however short the time. */
const MAX_STALLED = 4;

/** A client that has not answered this many pings is gone. One is too few: this process may have been asleep itself. */
const MAX_UNANSWERED_PINGS = 2;

/**
 * An open WebSocket of ws, whether or not its player has been confirmed: holds its messages until someone subscribes, and ends it if
 * the client is gone or stalls.
 */
export class Connection {
  readonly closed$: Observable<SocketClosed>;
  readonly #ws: WebSocket;
  readonly #socket: Duplex;
  readonly #settings: GateSettings;
  readonly #messages: MessageBuffer;
  /** Set once this side has closed the socket. It takes precedence over the code of the close event. */
  #closedByUs: SocketClosed | undefined;
  #unansweredPings = 0;
  #stall: Subscription | undefined;

  constructor(ws: WebSocket, socket: Duplex, settings: GateSettings) {
    const { heartbeat, scheduler, maxPayload } = settings;
    const closed$ = new AsyncSubject<SocketClosed>();
    this.closed$ = closed$;
    this.#ws = ws;
    this.#socket = socket;
    this.#settings = settings;
    this.#messages = new MessageBuffer(maxPayload, () =>
      this.closeOrTerminate(4413, 'too many messages at once'),
    );
    ws.on('message', (data: Buffer, isBinary) => {
      this.#unansweredPings = 0;
      // Messages that arrive after this side has closed the socket are dropped.
      if (this.isOpen) this.#messages.push(isBinary ? data : data.toString(), data.length);
    });
    ws.on('pong', () => (this.#unansweredPings = 0));
    ws.on('error', error => {
      // After a protocol violation, ws itself sends the close frame.
      this.#closedByUs ??= closeFrameAfter(error);
      forceClose(() => ws.terminate(), closed$, scheduler);
    });
    const beat = () => this.#beat();
    // Not an `interval`, of which each of many thousand players would hold the observables and subscribers.
    const beating = scheduler.schedule(function () {
      beat();
      this.schedule(undefined, heartbeat);
    }, heartbeat);
    ws.on('close', (code, reason) => {
      beating.unsubscribe();
      this.#messages.end();
      closed$.next(this.#closedByUs ?? { code, reason: reason.toString() });
      closed$.complete();
    });
  }

  get message$(): Observable<LobbyMessage> {
    return this.#messages.message$;
  }

  /** The bytes that have arrived since the subscription. It emits after the messages that are in them. */
  get bytesReceived$(): Observable<number> {
    return fromEvent(this.#socket, 'data').pipe(scan((sum, data) => sum + (data as Buffer).length, 0));
  }

  get isOpen(): boolean {
    return this.#ws.readyState === this.#ws.OPEN;
  }

  get bufferedAmount(): number {
    return this.#ws.bufferedAmount;
  }

  send(message: LobbyMessage): void {
    if (!this.isOpen) return;
    const watch = () => this.#watchBufferedAmount();
    this.#ws.send(message, watch);
    watch();
  }

  close(code = 1000, reason = ''): void {
    checkCloseFrame(code, reason);
    if (!this.isOpen) return;
    const { scheduler, closeTimeout } = this.#settings;
    this.#closedByUs = { code, reason };
    this.#ws.close(code, reason);
    // Who is half-open would hold up a shutdown.
    forceClose(() => this.#ws.terminate(), this.closed$, scheduler, closeTimeout);
  }

  /** Ends the connection at once, without a close frame. */
  terminate(): void {
    if (this.isOpen) this.#closedByUs = { code: 1006, reason: '' };
    this.#ws.terminate();
  }

  /** Closes the socket, and terminates it a second later if the client has not answered the close frame. */
  closeOrTerminate(code: number, reason: string): void {
    this.close(code, reason);
    forceClose(() => this.#ws.terminate(), this.closed$, this.#settings.scheduler);
  }

  #beat(): void {
    if (this.#unansweredPings++ >= MAX_UNANSWERED_PINGS) this.#ws.terminate();
    else if (this.isOpen) this.#ws.ping();
  }

  #watchBufferedAmount(): void {
    if (this.bufferedAmount <= this.#settings.maxBufferedAmount) {
      this.#stall?.unsubscribe();
      this.#stall = undefined;
      return;
    }
    const end = () => {
      // A close frame would only be queued behind all other data.
      this.#closedByUs ??= { code: 4413, reason: 'does not read' };
      this.#ws.terminate();
    };
    if (this.bufferedAmount > MAX_STALLED * this.#settings.maxBufferedAmount) return end();
    this.#stall ??= timer(STALL_TIMEOUT, this.#settings.scheduler)
      .pipe(takeUntil(this.closed$))
      .subscribe(end);
  }
}
