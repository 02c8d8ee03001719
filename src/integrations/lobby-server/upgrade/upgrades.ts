import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { fromEvent, Observable, timer, type SchedulerLike } from 'rxjs';
import { InputError } from '../../../error/index.js';
import { forceClose } from '../force-close.js';
import type { GateServer, GateSettings } from '../lobby-gate-config.js';
import { errorLine } from '../gate-log-entry.js';
import { addressOf } from '../networks.js';
import { refused, REFUSALS, type Refusal } from '../refusal.js';

/** An upgrade request, with the arguments of Node's `upgrade` event. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

// Shared by all gates of this process: a server may have several.
const gateListeners = new WeakSet();
const socketsWithErrorHandler = new WeakSet();
const claimedSockets = new WeakSet();

/** How long a request that is left to other listeners may stay without one that takes it, in ms. */
const PATIENCE = 10_000;

/**
 * The upgrade requests of a server for a path; never completes. The gate answers every request for its path, and no other one: those
 * are left to the server's other listeners. If they are all gates too, the last one answers 404 and logs it; otherwise it does so after
 * 10 s, if no listener has taken the request. A gate without a path answers every request, and none beside listeners that are no gates.
 */
export function upgrades(
  settings: Pick<GateSettings, 'server' | 'path' | 'addressOf' | 'log' | 'scheduler'>,
): Observable<Upgrade> {
  const { server, path, log, scheduler } = settings;
  let hasWarned = false;

  const refuse = (request: IncomingMessage, socket: Duplex, refusal: Refusal) => {
    log(refused(refusal, refusal.status, addressOf(request, settings) ?? '', scheduler.now()));
    refuseUpgrade(socket, refusal, scheduler);
  };
  const refuseBeside = (request: IncomingMessage, socket: Duplex, isAnswered: boolean) => {
    const error = isAnswered
      ? new InputError('server', EXPECTED_LISTENERS, 'one that also answers requests for the gate')
      : new InputError('path', 'a path beside other upgrade listeners, which the gate answers alone', 'none');
    // Not only for the log: no player can enter such a gate.
    if (!hasWarned) process.emitWarning(error);
    hasWarned = true;
    // One answer is enough.
    if (isAnswered) socket.destroy();
    refuse(request, socket, { ...REFUSALS.otherListener, error: errorLine(error) });
  };
  /** Node does not see that the client has left while no listener has taken its request, so that it would stay for ever. */
  const leaveToOthers = (request: IncomingMessage, socket: Duplex) => {
    const written = bytesWritten(socket);
    const patience = timer(PATIENCE, scheduler).subscribe(() => {
      const isTaken = claimedSockets.has(socket) || socket.readableFlowing !== null;
      if (!isTaken && bytesWritten(socket) === written) refuse(request, socket, REFUSALS.noSuchPath);
    });
    socket.once('close', () => patience.unsubscribe());
  };

  return new Observable(subscriber => {
    const listener = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (claimedSockets.has(socket) || subscriber.closed) return;
      // Also if the request is left to other listeners: an `error` event without a listener would end the process.
      if (!socketsWithErrorHandler.has(socket)) socket.on('error', destroy);
      socketsWithErrorHandler.add(socket);
      const hasOthers = server.listenerCount('upgrade') > gatesOf(server).length;
      if (path === undefined || path === request.url?.split('?', 1)[0]) {
        claimedSockets.add(socket);
        const written = bytesWritten(socket);
        // After the other listeners have been called, and before anything else can happen.
        queueMicrotask(() => {
          const isAnswered = socket.destroyed || bytesWritten(socket) !== written;
          if (hasOthers && (isAnswered || path === undefined)) refuseBeside(request, socket, isAnswered);
          else if (subscriber.closed) refuse(request, socket, REFUSALS.gateClosed);
          else if (isTooMuch(request)) refuse(request, socket, REFUSALS.noHandshake);
          else subscriber.next({ request, socket, head });
        });
      } else if (gatesOf(server).at(-1) === listener) {
        if (hasOthers) leaveToOthers(request, socket);
        else refuse(request, socket, REFUSALS.noSuchPath);
      }
    };
    gateListeners.add(listener);
    // Before the others, so that it sees whether they answer.
    server.prependListener('upgrade', listener);
    const disallow = allowListener(server);
    return () => {
      server.off('upgrade', listener);
      disallow();
    };
  });
}

const EXPECTED_LISTENERS =
  'without upgrade listeners that answer or end what is not theirs: create WebSocketServers with noServer, and call handleUpgrade for their own paths only; give engine.io and socket.io destroyUpgrade: false';

const gatesOf = (server: GateServer) =>
  server.listeners('upgrade').filter(listener => gateListeners.has(listener));

const bytesWritten = (socket: Duplex) => (socket as Partial<Socket>).bytesWritten;

/** Not a closure: what listens to a socket must not hold on to its request. */
function destroy(this: Duplex): void {
  this.destroy();
}

/** Beyond these, a request costs more to read and to keep than its sender pays. No player sends so much. */
const MAX_URL = 16_384;
const MAX_PARAMETERS = 64;
const MAX_PROTOCOLS = 16;
const MAX_HEADERS = 100;

function isTooMuch({ url = '', headers, rawHeaders }: IncomingMessage): boolean {
  const protocols = headers['sec-websocket-protocol'] ?? '';
  const hasMore = (text: string, separator: string, most: number) =>
    text.split(separator, most + 1).length > most;
  return (
    url.length > MAX_URL ||
    rawHeaders.length > 2 * MAX_HEADERS ||
    hasMore(url, '&', MAX_PARAMETERS) ||
    hasMore(protocols, ',', MAX_PROTOCOLS)
  );
}

/** Answers an upgrade request with an HTTP status, the reason as the body, and closes its connection. */
export function refuseUpgrade(
  socket: Duplex,
  { status, reason, retryAfter }: Refusal,
  scheduler: SchedulerLike,
): void {
  socket.once('finish', () => socket.destroy());
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: text/plain',
    `Content-Length: ${Buffer.byteLength(reason)}`,
    ...(retryAfter === undefined ? [] : [`Retry-After: ${retryAfter}`]),
  ];
  // Even if the client does not read the answer.
  forceClose(() => socket.destroy(), fromEvent(socket, 'close'), scheduler);
  socket.end(`${lines.join('\r\n')}\r\n\r\n${reason}`);
}

/** Each gate listens for itself, and so do its figures: that is no leak, of which Node would warn. Returns what undoes it. */
function allowListener(server: GateServer): () => void {
  const change = (by: 1 | -1) => {
    const most = server.getMaxListeners();
    // 0 is no limit.
    if (most > 0) server.setMaxListeners(most + by);
  };
  change(1);
  return () => change(-1);
}

/** Emits when a server has closed. */
export function closeOf(server: GateServer): Observable<void> {
  return new Observable(subscriber => {
    const disallow = allowListener(server);
    const listener = () => subscriber.next();
    server.on('close', listener);
    return () => {
      server.off('close', listener);
      disallow();
    };
  });
}
