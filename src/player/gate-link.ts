import { Subscription, type SchedulerLike, type TimestampProvider, type Unsubscribable } from 'rxjs';
import { tryOr } from '../error/index.js';
import type { GateReason } from './close-codes.js';
import { HEARTBEAT, parseWelcome, PLAYER_PROTOCOL, type Welcome } from './welcome.js';

/** A message from or to a player: the text of a text message, or the bytes of a binary one. */
export type PlayerMessage = string | Uint8Array;

/** The part of a WebSocket that is used. */
export interface WebSocketLike {
  readonly readyState: number;
  readonly bufferedAmount: number;
  binaryType: string;
  onopen: unknown;
  onmessage: unknown;
  onerror: unknown;
  onclose: unknown;
  send(data: PlayerMessage): void;
  close(code?: number, reason?: string): void;
}

/** The class of a platform's WebSockets, or that of the package ws. */
export type WebSocketClass = new (url: string, protocols: string[]) => WebSocketLike;

/** How a {@link GateLink} connects. */
export interface LinkSettings {
  /** Where the gate is. It contains no token. */
  readonly url: string;
  readonly token: 'message' | 'query';
  readonly heartbeat: number;
  readonly WebSocket: WebSocketClass;
  readonly scheduler: SchedulerLike;
  /** Measures durations, since the clock of a machine may be set. */
  readonly monotonic: TimestampProvider;
}

/** What happens on a {@link GateLink}. `onEnd` comes last. */
export interface LinkObserver {
  /** The gate has admitted the player. `undefined` if the server is no gate. */
  onWelcome(welcome: Welcome | undefined): void;
  onMessage(message: PlayerMessage): void;
  /** `code` is the close code. It is 1006 without a close frame. */
  onEnd(code: number, text: string, stage: Stage): void;
}

/** How far a connection has come: it is being made, the gate is asked, the gate has answered. */
export type Stage = 'connecting' | 'asking' | 'in';

/**
 * How long the gate may be silent when it should answer, in ms, before it is asked again if it can
 * be.
 */
const ANSWER_MS = 5_000;

/**
 * How many such times in a row it may be silent. The first timer may have been held up, with the
 * answer behind it: the machine slept, or the page was frozen.
 */
const MAX_SILENCES = 2;

/** The last part of a wait for an answer, in which the gate has been silent once already, in ms. */
const SILENCE_MS = MAX_SILENCES * ANSWER_MS;

/** How long a connection may take to open, in ms. */
const OPEN_MS = 10_000;

/** How long the gate may take to admit a player, in ms. Its service is asked meanwhile. */
const ADMISSION_MS = 30_000;

/**
 * When the network may have changed, an attempt that is older than this, in ms, was on the old one.
 */
const OLD_MS = 1_000;

/** How many bytes may wait to be sent. */
const MAX_BUFFERED_BYTES = 1_048_576;

/** The `readyState` of an open socket. */
const OPEN = 1;

/**
 * One connection to a gate, which presents a token or a return ticket. Unsubscribing leaves the
 * lobby.
 */
export class GateLink implements Unsubscribable {
  readonly #settings: LinkSettings;
  readonly #observer: LinkObserver;
  readonly #socket: WebSocketLike;
  #stage: Stage = 'connecting';
  /** When the attempt began, or the gate was last heard, on the monotonic clock. */
  #heardAt: number;
  /** How many times in a row the gate has been silent when it should have answered. */
  #silences = 0;
  #timer = Subscription.EMPTY;

  /** Throws if the platform cannot make a WebSocket. */
  constructor(secret: string, settings: LinkSettings, observer: LinkObserver) {
    this.#settings = settings;
    this.#observer = observer;
    this.#heardAt = settings.monotonic.now();
    const { url, token, WebSocket } = settings;
    const query = `${url.includes('?') ? '&' : '?'}token=${encodeURIComponent(secret)}`;
    const socket = new WebSocket(token === 'query' ? url + query : url, [PLAYER_PROTOCOL]);
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      this.#stage = 'asking';
      this.#silences = 0;
      this.#expect(ADMISSION_MS - SILENCE_MS);
      if (token === 'message') socket.send(secret);
    };
    socket.onmessage = ({ data }: { readonly data: unknown }) => this.#receive(data);
    // Node 22 reports a connection that could not be made by this event only.
    socket.onerror = () => this.#end(1006, '');
    socket.onclose = ({ code, reason }: CloseEvent) => this.#end(code, String(reason));
    this.#expect(OPEN_MS - SILENCE_MS);
  }

  /** Returns whether the connection took the message. */
  send(message: PlayerMessage): boolean {
    const socket = this.#socket;
    if (socket.readyState !== OPEN || socket.bufferedAmount > MAX_BUFFERED_BYTES) return false;
    socket.send(message);
    return true;
  }

  /** The network may be another one, and the connection dead although it looks open. */
  wake(): void {
    const { monotonic, heartbeat } = this.#settings;
    const isOld = monotonic.now() - this.#heardAt > OLD_MS;
    if (this.#stage === 'connecting' && isOld) this.#end(1006, '');
    else if (this.#stage === 'in' && heartbeat > 0 && this.#silences === 0) this.#ask();
  }

  unsubscribe(): void {
    this.#close(1000, '');
  }

  #receive(data: unknown): void {
    const { monotonic, heartbeat } = this.#settings;
    this.#heardAt = monotonic.now();
    this.#silences = 0;
    if (this.#stage === 'in') {
      if (data === HEARTBEAT) return;
      const message = typeof data === 'string' ? data : new Uint8Array(data as ArrayBuffer);
      return this.#observer.onMessage(message);
    }
    this.#stage = 'in';
    this.#timer.unsubscribe();
    if (heartbeat > 0) this.#expect(heartbeat);
    this.#observer.onWelcome(parseWelcome(data));
  }

  /** Something has to be heard within this time, or soon after it. */
  #expect(time: number): void {
    this.#timer.unsubscribe();
    this.#timer = this.#settings.scheduler.schedule(() => this.#onSilence(), time);
  }

  /** Nothing may have been heard for a while. */
  #onSilence(): void {
    const { monotonic, heartbeat } = this.#settings;
    const remaining = this.#stage === 'in' ? this.#heardAt + heartbeat - monotonic.now() : 0;
    if (this.#silences === MAX_SILENCES) this.#end(1006, '');
    else if (this.#silences === 0 && remaining > 0) this.#expect(remaining);
    else this.#ask();
  }

  /** Before the player is in, there is nothing to ask. */
  #ask(): void {
    this.#silences++;
    if (this.#stage === 'in') this.send(HEARTBEAT);
    this.#expect(ANSWER_MS);
  }

  #end(code: number, text: string): void {
    // Without effect if the other end has closed it.
    this.#close(4000, 'back_soon' satisfies GateReason);
    this.#observer.onEnd(code, text, this.#stage);
  }

  #close(code: number, reason: string): void {
    const socket = this.#socket;
    this.#timer.unsubscribe();
    socket.onopen = null;
    socket.onmessage = null;
    socket.onclose = null;
    // Not null, since an error without a listener would end a Node process.
    socket.onerror = () => undefined;
    tryOr(() => socket.close(code, reason), undefined);
  }
}

interface CloseEvent {
  readonly code: number;
  readonly reason: unknown;
}
