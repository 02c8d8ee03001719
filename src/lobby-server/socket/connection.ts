import type { Duplex } from 'node:stream';
import {
  AsyncSubject,
  fromEvent,
  interval,
  scan,
  takeUntil,
  timer,
  type Observable,
  type Subscription,
} from 'rxjs';
import type { WebSocket } from 'ws';
import type { GateSettings } from '../lobby-gate-config.js';
import type { LobbyMessage, SocketClosed } from '../lobby-socket.js';
import { checkCloseFrame, closeFrameAfter } from './close-frame.js';
import { forceClose } from './force-close.js';
import { createMessageBuffer } from './message-buffer.js';

/** An open WebSocket, whether or not its player has been confirmed. */
export interface Connection {
  readonly message$: Observable<LobbyMessage>;
  readonly closed$: Observable<SocketClosed>;
  /** The bytes that have arrived since the subscription. It emits after the messages that are in them. */
  readonly bytesReceived$: Observable<number>;
  readonly isOpen: () => boolean;
  readonly bufferedAmount: () => number;
  readonly send: (message: LobbyMessage) => void;
  readonly close: (code?: number, reason?: string) => void;
  /** Closes the socket, and terminates it a second later if the client has not answered the close frame. */
  readonly closeOrTerminate: (code: number, reason: string) => void;
}

/** How long `maxBufferedAmount` may be exceeded, in ms: sending a single large message takes time. */
const STALL_TIMEOUT = 5_000;

/** A client that has not answered this many pings is gone. One is too few: this process may have been asleep itself. */
const MAX_UNANSWERED_PINGS = 2;

/** Wraps an open WebSocket of ws: holds its messages until someone subscribes, and ends it if the client is gone or stalls. */
export function createConnection(ws: WebSocket, socket: Duplex, settings: GateSettings): Connection {
  const { heartbeat, scheduler, maxBufferedAmount } = settings;
  const closed$ = new AsyncSubject<SocketClosed>();
  /** Set once this side has closed the socket. It takes precedence over the code of the close event. */
  let closedByUs: SocketClosed | undefined;
  const isOpen = () => ws.readyState === ws.OPEN;
  const terminate = () => ws.terminate();

  const close = (code = 1000, reason = '') => {
    checkCloseFrame(code, reason);
    if (!isOpen()) return;
    closedByUs = { code, reason };
    ws.close(code, reason);
  };
  const closeOrTerminate = (code: number, reason: string) => {
    close(code, reason);
    forceClose(terminate, closed$, scheduler);
  };

  const buffer = createMessageBuffer(settings, () => closeOrTerminate(4413, 'too many messages at once'));
  let unansweredPings = 0;
  ws.on('message', (data: Buffer, isBinary) => {
    unansweredPings = 0;
    // Messages that arrive after this side has closed the socket are dropped.
    if (isOpen()) buffer.push(isBinary ? data : data.toString(), data.length);
  });
  ws.on('pong', () => (unansweredPings = 0));
  ws.on('error', error => {
    // After a protocol violation, ws itself sends the close frame.
    closedByUs ??= closeFrameAfter(error);
    forceClose(terminate, closed$, scheduler);
  });
  ws.on('close', (code, reason) => {
    buffer.end();
    closed$.next(closedByUs ?? { code, reason: reason.toString() });
    closed$.complete();
  });
  interval(heartbeat, scheduler)
    .pipe(takeUntil(closed$))
    .subscribe(() => {
      if (unansweredPings++ >= MAX_UNANSWERED_PINGS) terminate();
      else if (isOpen()) ws.ping();
    });

  let stall: Subscription | undefined;
  const watchBufferedAmount = () => {
    if (ws.bufferedAmount <= maxBufferedAmount) {
      stall?.unsubscribe();
      stall = undefined;
      return;
    }
    stall ??= timer(STALL_TIMEOUT, scheduler)
      .pipe(takeUntil(closed$))
      .subscribe(() => {
        // A close frame would only be queued behind all other data.
        closedByUs ??= { code: 4413, reason: 'does not read' };
        terminate();
      });
  };

  return {
    message$: buffer.message$,
    closed$: closed$.asObservable(),
    bytesReceived$: fromEvent(socket, 'data').pipe(scan((sum, data) => sum + (data as Buffer).length, 0)),
    isOpen,
    bufferedAmount: () => ws.bufferedAmount,
    close,
    closeOrTerminate,
    send: message => {
      if (!isOpen()) return;
      ws.send(message, watchBufferedAmount);
      watchBufferedAmount();
    },
  };
}
