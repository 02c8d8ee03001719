import type { Duplex } from 'node:stream';
import { AsyncSubject, type Observable, type SchedulerLike, type Subscription } from 'rxjs';
import type { WebSocket } from 'ws';
import type { PlayerMessage } from '../../../player/index.js';
import { closeCode, HEARTBEAT, meaningOfClose, PLAYER_PROTOCOL } from '../../../player/index.js';
import { checkCloseFrame, closeFrameAfter } from './close-frame.js';
import { atDeadline, forceClose } from './deadline.js';
import type { SocketClosed } from '../player-socket.js';
import { MessageBuffer } from './message-buffer.js';

/**
 * How long `maxBufferedAmount` may be exceeded, in ms. Sending a single large message takes time.
 */
const STALLED_MS = 5_000;

/** A connection with more than this many times `maxBufferedAmount` to send ends at once. */
const MAX_BUFFERED_AMOUNTS = 4;

/**
 * A client that has not answered this many pings is gone. One is too few, since this process may
 * have been asleep itself.
 */
const MAX_UNANSWERED_PINGS = 2;

/** The options of a gate that limit a connection. */
interface ConnectionSettings {
  readonly maxPayload: number;
  readonly maxBufferedAmount: number;
  readonly pingInterval: number;
  readonly closeTimeout: number;
  readonly scheduler: SchedulerLike;
}

/** How a connection ended. */
export interface ConnectionEnd extends SocketClosed {
  /**
   * Whether the player may come back. They have not said that they leave, and this side has not
   * closed the connection.
   */
  readonly wasDropped: boolean;
}

/** The outcomes of a first message. One of them is called, once or more often. */
interface FirstMessageListener {
  readonly complete: (message: PlayerMessage) => void;
  /** Too many bytes have come, perhaps in small pieces that cost more memory. */
  readonly tooLarge: () => void;
  readonly left: () => void;
}

/**
 * An open WebSocket of ws, whether or not its player has been confirmed. Buffers its messages until
 * a player takes them. Ends the socket if the client is gone or stalls.
 */
export class Connection {
  readonly closed$: Observable<ConnectionEnd>;
  /** Whether the client is a `lobbyConnection`. */
  readonly isOurs: boolean;
  readonly #ws: WebSocket;
  readonly #socket: Duplex;
  readonly #settings: ConnectionSettings;
  #first: FirstMessageListener | undefined;
  #messages: MessageBuffer | undefined;
  /** How it ends, once this side knows. It takes precedence over the code of the close event. */
  #end: ConnectionEnd | undefined;
  /**
   * This side does not listen any more. Until then, messages that the client sent before its end
   * are delivered, however late they are inflated.
   */
  #isDeaf = false;
  #pings: Subscription | undefined;
  #unansweredPings = 0;
  #stall: Subscription | undefined;

  constructor(ws: WebSocket, socket: Duplex, settings: ConnectionSettings) {
    const closed$ = new AsyncSubject<ConnectionEnd>();
    this.closed$ = closed$;
    this.isOurs = ws.protocol === PLAYER_PROTOCOL;
    this.#ws = ws;
    this.#socket = socket;
    this.#settings = settings;
    ws.on('message', (data: Buffer, isBinary) =>
      this.#receive(isBinary ? data : data.toString(), data.length),
    );
    ws.on('pong', () => {
      this.#unansweredPings = 0;
    });
    ws.on('error', error => {
      // After a protocol violation, ws itself sends the close frame.
      const violation = closeFrameAfter(error);
      // A proxy that is restarted may send bytes that are no frame, after those of the client.
      if (violation?.code === 1002) this.#end ??= { ...violation, wasDropped: true };
      else if (violation) this.#endByUs(violation);
      forceClose(() => ws.terminate(), closed$, settings.scheduler);
    });
    ws.on('close', (code, reason) => {
      this.#pings?.unsubscribe();
      this.#stall?.unsubscribe();
      this.#first?.left();
      const wasDropped = meaningOfClose(code, '').comesBack === 'dropped';
      this.#end ??= { code, reason: reason.toString(), wasDropped };
      closed$.next(this.#end);
      closed$.complete();
    });
  }

  get isOpen(): boolean {
    return this.#ws.readyState === this.#ws.OPEN;
  }

  /** Whether this side has closed it, or the client has left. */
  get isOver(): boolean {
    return this.#end?.wasDropped === false;
  }

  get bufferedAmount(): number {
    return this.#ws.bufferedAmount;
  }

  /** Listens to the next message, which is not buffered. Returns the function that stops it. */
  firstMessage(maxBytes: number, listener: FirstMessageListener): () => void {
    let bytes = 0;
    // Called after the message that the bytes complete.
    const count = (data: Buffer) => {
      bytes += data.length;
      if (bytes > maxBytes) listener.tooLarge();
    };
    this.#first = listener;
    this.#socket.on('data', count);
    return () => {
      this.#first = undefined;
      this.#socket.off('data', count);
    };
  }

  /**
   * Passes the messages to a player from now on, with those that are buffered. Pings the client.
   */
  passTo(messages: MessageBuffer): void {
    const hasRoom = this.#messages?.moveTo(messages) ?? true;
    this.#messages = messages;
    if (!hasRoom) this.#refuseMessages();
    this.#pingRegularly();
  }

  /** Returns whether the connection was open. */
  send(message: PlayerMessage): boolean {
    if (!this.isOpen) return false;
    // A client that has caught up since the last message does not stall.
    if (this.#stall) this.#watchBufferedAmount();
    this.#ws.send(message);
    this.#watchBufferedAmount();
    return true;
  }

  close(code: number, reason: string): void {
    checkCloseFrame(code, reason);
    if (!this.isOpen) return;
    const { scheduler, closeTimeout } = this.#settings;
    this.#endByUs({ code, reason });
    this.#isDeaf = true;
    this.#ws.close(code, reason);
    // A half-open connection would hold up a shutdown.
    forceClose(() => this.#ws.terminate(), this.closed$, scheduler, closeTimeout);
  }

  /** Ends the connection at once, without a close frame. */
  terminate(): void {
    if (this.isOpen) this.#endByUs({ code: 1006, reason: '' });
    this.#isDeaf = true;
    this.#ws.terminate();
  }

  /** The player has come back on another connection. Messages on this one no longer count. */
  replace({ code, reason }: SocketClosed): void {
    if (this.isOpen) this.closeOrTerminate(code, reason);
    else this.terminate();
  }

  /**
   * Closes the socket, and terminates it a second later if the client has not answered the close
   * frame.
   */
  closeOrTerminate(code: number, reason: string): void {
    this.close(code, reason);
    forceClose(() => this.#ws.terminate(), this.closed$, this.#settings.scheduler);
  }

  /** This side closes the connection. Only its first reason counts. */
  #endByUs({ code, reason }: SocketClosed): void {
    if (!this.isOver) this.#end = { code, reason, wasDropped: false };
  }

  #receive(message: PlayerMessage, bytes: number): void {
    this.#unansweredPings = 0;
    if (this.#isDeaf) return;
    if (this.#first) return this.#first.complete(message);
    if (this.isOurs && message === HEARTBEAT) return void this.send(HEARTBEAT);
    this.#messages ??= new MessageBuffer(this.#settings.maxPayload);
    if (!this.#messages.push(message, bytes)) this.#refuseMessages();
  }

  #refuseMessages(): void {
    const { code, reason } = closeCode('too_many_messages');
    this.closeOrTerminate(code, reason);
  }

  /**
   * Not an `interval`, whose observables and subscribers take memory for each of many thousand
   * players. Each ping has a new action, since an action of virtual time that is scheduled again
   * keeps all those before it.
   */
  #pingRegularly(): void {
    const { pingInterval, scheduler } = this.#settings;
    this.#pings = scheduler.schedule(() => {
      this.#pingRegularly();
      this.#pingOrTerminate();
    }, pingInterval);
  }

  #pingOrTerminate(): void {
    this.#unansweredPings++;
    if (this.#unansweredPings <= MAX_UNANSWERED_PINGS) {
      if (this.isOpen) this.#ws.ping();
      return;
    }
    const terminate = () => {
      // An answer that came in time may have been read only now.
      if (this.#unansweredPings > MAX_UNANSWERED_PINGS) this.#ws.terminate();
    };
    this.#pings?.add(atDeadline(0, terminate, this.#settings.scheduler));
  }

  #watchBufferedAmount(): void {
    if (this.bufferedAmount <= this.#settings.maxBufferedAmount) {
      this.#stall?.unsubscribe();
      this.#stall = undefined;
      return;
    }
    const end = () => {
      // A close frame would only be queued behind all other data.
      this.#endByUs({ code: 4413, reason: 'does not read' });
      this.#ws.terminate();
    };
    if (this.bufferedAmount > MAX_BUFFERED_AMOUNTS * this.#settings.maxBufferedAmount) return end();
    const stalled = () => {
      this.#stall = undefined;
      if (this.bufferedAmount > this.#settings.maxBufferedAmount) end();
    };
    this.#stall ??= atDeadline(STALLED_MS, stalled, this.#settings.scheduler);
  }
}
