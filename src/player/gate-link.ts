import { Observable, Subscription, type SchedulerLike, type Subscriber } from 'rxjs';
import { fieldsOf, tryOr } from '../error/index.js';
import type { GateReason } from './close-codes.js';
import { LobbyClosedError } from './lobby-closed-error.js';
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

/** How a {@link gateLink} connects. */
export interface LinkSettings {
  /** Where the gate is. It contains no token. */
  readonly url: string;
  readonly token: 'message' | 'query';
  readonly heartbeat: number;
  readonly WebSocket: WebSocketClass;
  readonly wake$: Observable<unknown>;
  readonly scheduler: SchedulerLike;
}

/** Something that happens on a connection to a gate. `ended` comes last. */
export type LinkSignal =
  | {
      readonly kind: 'in';
      readonly welcome: Welcome;
      /** Returns whether the connection took the message. */
      readonly send: (message: PlayerMessage) => boolean;
    }
  | { readonly kind: 'message'; readonly message: PlayerMessage }
  | LinkEnd;

/** How a connection ended. */
export interface LinkEnd {
  readonly kind: 'ended';
  /** The close code. It is 1006 without a close frame. */
  readonly code: number;
  readonly text: string;
  /** How far the connection has come. */
  readonly stage: Stage;
}

/** A connection is being made, the gate is asked, the player is in. */
export type Stage = 'connecting' | 'asking' | 'in';

/** How long a connection may take to open, in ms. */
const OPEN_MS = 10_000;

/** How long the gate may take to admit a player, in ms. Its service is asked meanwhile. */
const ADMISSION_MS = 30_000;

/** How long the answer to a heartbeat may take, in ms. */
const ANSWER_MS = 10_000;

/**
 * A timer that is later than this, in ms, was held up: the machine slept, or the page was frozen.
 */
const LATE_MS = 1_000;

/** How many bytes may wait to be sent. */
const MAX_BUFFERED_BYTES = 1_048_576;

/**
 * One connection to a gate, which presents a token or a return ticket. Unsubscribing leaves the
 * lobby. It fails if the platform cannot make a WebSocket, or the server is not a gate.
 */
export function gateLink(secret: string, settings: LinkSettings): Observable<LinkSignal> {
  return new Observable(subscriber => new GateLink(secret, settings, subscriber).teardown);
}

class GateLink {
  readonly teardown = new Subscription();
  readonly #settings: LinkSettings;
  readonly #subscriber: Subscriber<LinkSignal>;
  readonly #socket: WebSocketLike;
  #stage: Stage = 'connecting';
  readonly #beganAt: number;
  #heardAt = 0;
  /** How many heartbeats have not been answered. */
  #unanswered = 0;
  #timer = Subscription.EMPTY;

  constructor(secret: string, settings: LinkSettings, subscriber: Subscriber<LinkSignal>) {
    this.#settings = settings;
    this.#subscriber = subscriber;
    this.#beganAt = settings.scheduler.now();
    const socket = openSocket(secret, settings);
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      this.#stage = 'asking';
      this.#expect(ADMISSION_MS);
      if (settings.token === 'message') socket.send(secret);
    };
    socket.onmessage = ({ data }: { readonly data: unknown }) => this.#receive(data);
    // Node 22 reports a connection that could not be made by this event only.
    socket.onerror = () => this.#end(1006, '');
    socket.onclose = (event: { readonly code: number; readonly reason: unknown }) =>
      this.#end(event.code, String(event.reason));
    this.#expect(OPEN_MS);
    this.teardown.add(() => this.#close(1000, ''));
    this.teardown.add(settings.wake$.subscribe(() => this.#wake()));
  }

  #receive(data: unknown): void {
    const { scheduler, heartbeat } = this.#settings;
    this.#heardAt = scheduler.now();
    this.#unanswered = 0;
    if (this.#stage === 'in') {
      if (data === HEARTBEAT) return;
      const message = typeof data === 'string' ? data : new Uint8Array(data as ArrayBuffer);
      this.#subscriber.next({ kind: 'message', message });
      return;
    }
    const welcome = parseWelcome(data);
    if (!welcome) return this.#subscriber.error(new LobbyClosedError('not_a_gate', 1000, ''));
    this.#stage = 'in';
    this.#timer.unsubscribe();
    if (heartbeat > 0) this.#expect(heartbeat);
    this.#subscriber.next({ kind: 'in', welcome, send: message => this.#send(message) });
  }

  #send(message: PlayerMessage): boolean {
    const socket = this.#socket;
    if (socket.readyState !== OPEN || socket.bufferedAmount > MAX_BUFFERED_BYTES) return false;
    socket.send(message);
    return true;
  }

  /** Something has to be heard within this time. */
  #expect(time: number): void {
    const { scheduler } = this.#settings;
    const due = scheduler.now() + time;
    this.#timer.unsubscribe();
    this.#timer = scheduler.schedule(() => this.#onSilence(scheduler.now() - due > LATE_MS), time);
  }

  /** Nothing may have been heard for a while. */
  #onSilence(isLate: boolean): void {
    const { scheduler, heartbeat } = this.#settings;
    if (this.#stage !== 'in') return this.#endUnlessHeard();
    const remaining = this.#heardAt + heartbeat - scheduler.now();
    if (this.#unanswered === 0 && remaining > 0) return this.#expect(remaining);
    // The answer may be waiting behind the timer, if that was held up.
    if (this.#unanswered > 1 || (this.#unanswered === 1 && !isLate)) return this.#endUnlessHeard();
    this.#ask();
  }

  #ask(): void {
    this.#unanswered++;
    this.#send(HEARTBEAT);
    this.#expect(ANSWER_MS);
  }

  /** A message that came in time may be delivered only now. */
  #endUnlessHeard(): void {
    const heardAt = this.#heardAt;
    const end = () => {
      if (this.#heardAt === heardAt) this.#end(1006, '');
      else if (this.#settings.heartbeat > 0) this.#expect(this.#settings.heartbeat);
    };
    this.#timer = this.#settings.scheduler.schedule(end);
  }

  /** The network may be another one, and the connection dead although it looks open. */
  #wake(): void {
    const { scheduler, heartbeat } = this.#settings;
    const isOld = scheduler.now() - this.#beganAt > LATE_MS;
    if (this.#stage === 'connecting' && isOld) this.#end(1006, '');
    else if (this.#stage === 'in' && heartbeat > 0 && this.#unanswered === 0) this.#ask();
  }

  #end(code: number, text: string): void {
    // Without effect if the other end has closed it.
    this.#close(4000, 'back_soon' satisfies GateReason);
    this.#subscriber.next({ kind: 'ended', code, text, stage: this.#stage });
    this.#subscriber.complete();
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

/** The `readyState` of an open socket. */
const OPEN = 1;

function openSocket(secret: string, { url, token, WebSocket }: LinkSettings): WebSocketLike {
  const query = `${url.includes('?') ? '&' : '?'}token=${encodeURIComponent(secret)}`;
  try {
    return new WebSocket(token === 'query' ? url + query : url, [PLAYER_PROTOCOL]);
  } catch (error) {
    // Its message may contain the URL, and so the token.
    const { name } = fieldsOf(error);
    throw new LobbyClosedError('not_opened', 1006, String(name));
  }
}
