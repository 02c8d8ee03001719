import { AsyncSubject, interval, takeUntil, timer, type Observable, type Subscription } from 'rxjs';
import type { WebSocket } from 'ws';
import { checkArgument } from '../error/index.js';
import { closeCode } from './close-code.js';
import { closeReason } from './close-reason.js';
import type { GateSettings } from './gate-settings.js';
import type { LobbyMessage } from './lobby-message.js';
import { createMessageBuffer } from './message-buffer.js';
import type { SocketClosed } from './socket-closed.js';
import { whyBroken } from './why-broken.js';

/** An open WebSocket, whoever is at its other end. */
export interface Connection {
  readonly message$: Observable<LobbyMessage>;
  readonly closed$: Observable<SocketClosed>;
  readonly isOpen: () => boolean;
  readonly bufferedAmount: () => number;
  readonly send: (message: LobbyMessage) => void;
  readonly close: (code?: number, reason?: string) => void;
  /** Closes it, and ends it soon whether or not the other side agrees. */
  readonly closeFirmly: (code: number, reason: string) => void;
}

/** How long the other side of a firm close has for its own close frame, in ms. */
const CLOSING = 1_000;

/** How long too much may wait to be sent, in ms: a single large message takes its time. */
const PATIENCE = 5_000;

/** Who answered none of so many pings has gone; one may be unread because this process slept. */
const UNANSWERED = 2;

export function createConnection(ws: WebSocket, settings: GateSettings): Connection {
  const { heartbeat, scheduler, maxBufferedAmount } = settings;
  const closed$ = new AsyncSubject<SocketClosed>();
  /** What this side ended it for. */
  let ours: SocketClosed | undefined;
  const isOpen = () => ws.readyState === ws.OPEN;
  const after = (ms: number, act: () => void) => timer(ms, scheduler).pipe(takeUntil(closed$)).subscribe(act);

  const close = (code = 1000, reason = '') => {
    checkArgument('code', closeCode, code);
    checkArgument('reason', closeReason, reason);
    if (!isOpen()) return;
    ours = { code, reason };
    ws.close(code, reason);
  };
  const terminate = () => ws.terminate();
  const closeFirmly = (code: number, reason: string) => {
    close(code, reason);
    after(CLOSING, terminate);
  };

  const buffer = createMessageBuffer(settings, () => closeFirmly(4413, 'too many messages at once'));
  let unanswered = 0;
  ws.on('message', (data: Buffer, isBinary) => {
    unanswered = 0;
    // What was on its way when the socket was closed is not to be heard any more.
    if (isOpen()) buffer.push(isBinary ? data : data.toString(), data.length);
  });
  ws.on('pong', () => (unanswered = 0));
  ws.on('error', error => {
    // ws closes what breaks the protocol itself.
    ours ??= whyBroken(error);
    after(CLOSING, terminate);
  });
  ws.on('close', (code, reason) => {
    buffer.end();
    closed$.next(ours ?? { code, reason: reason.toString() });
    closed$.complete();
  });
  interval(heartbeat, scheduler)
    .pipe(takeUntil(closed$))
    .subscribe(() => {
      if (unanswered++ >= UNANSWERED) terminate();
      else if (isOpen()) ws.ping();
    });

  let patience: Subscription | undefined;
  const watchBufferedAmount = () => {
    if (ws.bufferedAmount <= maxBufferedAmount) {
      patience?.unsubscribe();
      patience = undefined;
      return;
    }
    patience ??= after(PATIENCE, () => {
      // No close frame would reach him.
      ours ??= { code: 4413, reason: 'does not read' };
      terminate();
    });
  };

  return {
    message$: buffer.message$,
    closed$: closed$.asObservable(),
    isOpen,
    bufferedAmount: () => ws.bufferedAmount,
    close,
    closeFirmly,
    send: message => {
      if (!isOpen()) return;
      ws.send(message, watchBufferedAmount);
      watchBufferedAmount();
    },
  };
}
