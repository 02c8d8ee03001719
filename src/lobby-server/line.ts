import { AsyncSubject, interval, takeUntil, timer, type Observable } from 'rxjs';
import type { WebSocket } from 'ws';
import type { GateSettings } from './gate-settings.js';
import { createInbox } from './inbox.js';
import type { LobbyMessage } from './lobby-message.js';
import type { SocketClosed } from './socket-closed.js';

/** An open WebSocket, whoever is at its other end. */
export interface Line {
  readonly message$: Observable<LobbyMessage>;
  readonly closed$: Observable<SocketClosed>;
  readonly isOpen: () => boolean;
  readonly send: (message: LobbyMessage) => void;
  readonly close: (code?: number, reason?: string) => void;
  /** Closes it, and cuts it soon: whoever is at its other end is not wanted. */
  readonly dismiss: (code: number, reason: string) => void;
}

/** How long someone who is dismissed may take to say goodbye, in ms; then his connection is cut. */
const GOODBYE = 1_000;

/** Who has answered neither of two pings has gone; one may have been answered while this process slept. */
const UNANSWERED = 2;

export function createLine(ws: WebSocket, settings: GateSettings): Line {
  const { heartbeat, scheduler, maxUnsent } = settings;
  const closed$ = new AsyncSubject<SocketClosed>();
  let own: SocketClosed | undefined;
  const isOpen = () => ws.readyState === ws.OPEN;
  const close = (code = 1000, reason = '') => {
    if (!isOpen()) return;
    ws.close(code, reason);
    own = { code, reason };
  };
  const cutSoon = () => {
    timer(GOODBYE, scheduler)
      .pipe(takeUntil(closed$))
      .subscribe(() => ws.terminate());
  };
  const dismiss = (code: number, reason: string) => {
    close(code, reason);
    cutSoon();
  };

  const inbox = createInbox(settings, () => dismiss(4413, 'too many messages at once'));
  let unanswered = 0;
  ws.on('message', (data, isBinary) => {
    unanswered = 0;
    // Whatever is still on its way when a socket is being closed is not the player's any more.
    if (!isOpen()) return;
    const bytes = data as Buffer;
    inbox.push(isBinary ? bytes : bytes.toString(), bytes.length);
  });
  ws.on('pong', () => (unanswered = 0));
  // ws itself closes what breaks the protocol, with the code for it.
  ws.on('error', cutSoon);
  ws.on('close', (code, reason) => {
    inbox.end();
    closed$.next(own ?? { code, reason: reason.toString() });
    closed$.complete();
  });
  interval(heartbeat, scheduler)
    .pipe(takeUntil(closed$))
    .subscribe(() => {
      if (unanswered++ >= UNANSWERED) ws.terminate();
      else if (isOpen()) ws.ping();
    });

  return {
    message$: inbox.message$,
    closed$: closed$.asObservable(),
    isOpen,
    close,
    dismiss,
    send: message => {
      if (!isOpen()) return;
      if (ws.bufferedAmount <= maxUnsent) return ws.send(message);
      // No close frame would reach him.
      own = { code: 4413, reason: 'does not read' };
      ws.terminate();
    },
  };
}
