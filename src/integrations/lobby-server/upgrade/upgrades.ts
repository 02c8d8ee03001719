import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Observable, timer } from 'rxjs';
import { InputError } from '../../../error/index.js';
import { REFUSALS, type Refusal } from '../admission/index.js';
import type { GateSettings } from '../lobby-gate-config.js';
import { addressOf, plainAddress } from '../networks.js';
import { allowListener } from '../allow-listener.js';
import { refuseUpgrade } from './refuse-upgrade.js';

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

/** How long a request that is left to other listeners may stay without any sign of them, in ms. */
const PATIENCE = 10_000;

/** Beyond these, a request costs more to read and to keep than its sender pays. No player sends so much. */
const MAX_URL = 16_384;
const MAX_PARAMETERS = 64;
const MAX_PROTOCOLS = 16;
const MAX_HEADERS = 100;

/**
 * The upgrade requests of a server for a path; never completes. Requests for other paths are left to the server's other
 * listeners. If those are all gates too, the last one answers 404 and logs it; otherwise it does so after 10 s, if no listener has
 * taken the request. A request that another listener answers or ends although its path is the gate's own is refused.
 */
export function upgrades(
  settings: Pick<GateSettings, 'server' | 'path' | 'addressOf' | 'log' | 'scheduler'>,
): Observable<Upgrade> {
  const { server, path, log, scheduler } = settings;
  const hasOtherListeners = () => server.listenerCount('upgrade') > gatesOf(server).length;
  let hasWarned = false;
  const refuseAnswered = (socket: Duplex) => {
    socket.destroy();
    const { status: code, reason } = REFUSALS.otherListener;
    const error = new InputError('server', EXPECTED_LISTENERS, 'one that also answers requests for the gate');
    const address = plainAddress((socket as Partial<Socket>).remoteAddress ?? '');
    log({ kind: 'refused', at: scheduler.now(), address, code, reason, error });
    // Not only for the log: no player can enter such a gate.
    if (!hasWarned) process.emitWarning(error);
    hasWarned = true;
  };

  const refuse = (request: IncomingMessage, socket: Duplex, refusal: Refusal) => {
    const { status: code, reason } = refusal;
    const address = addressOf(request, settings) ?? '';
    log({ kind: 'refused', at: scheduler.now(), address, code, reason });
    refuseUpgrade(socket, refusal, scheduler);
  };
  /** Node does not see that the client has left while no listener has taken its request, so that it would stay for ever. */
  const leaveToOthers = (request: IncomingMessage, socket: Duplex) => {
    const patience = timer(PATIENCE, scheduler).subscribe(() => {
      if (!claimedSockets.has(socket) && signsOf(socket) === before)
        refuse(request, socket, REFUSALS.noSuchPath);
    });
    socket.once('close', () => patience.unsubscribe());
    const before = signsOf(socket);
  };

  /** A function of its own: what listens to a socket must not hold on to its request. */
  const answeredByOthers = (socket: Duplex) => {
    const written = bytesWritten(socket);
    const isAnswered = () => bytesWritten(socket) !== written || socket.destroyed;
    // Some end whatever has no answer for a while.
    socket.once('finish', () => {
      if (!isAnswered() && hasOtherListeners()) refuseAnswered(socket);
    });
    return isAnswered;
  };

  return new Observable(subscriber => {
    const listener = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (claimedSockets.has(socket) || subscriber.closed) return;
      // Also if the request is left to other listeners: an `error` event without a listener would end the process.
      if (!socketsWithErrorHandler.has(socket)) socket.on('error', destroy);
      socketsWithErrorHandler.add(socket);
      if (path === undefined || path === request.url?.split('?', 1)[0]) {
        claimedSockets.add(socket);
        const isAnswered = answeredByOthers(socket);
        // After the other listeners have been called, and before anything else can happen.
        queueMicrotask(() => {
          if (isAnswered() && hasOtherListeners()) refuseAnswered(socket);
          else if (subscriber.closed) refuseUpgrade(socket, REFUSALS.gateClosed, scheduler);
          else if (isTooMuch(request)) refuse(request, socket, REFUSALS.noHandshake);
          else subscriber.next({ request, socket, head });
        });
      } else if (gatesOf(server).at(-1) === listener) {
        if (hasOtherListeners()) leaveToOthers(request, socket);
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

/** Not a closure: what listens to a socket must not hold on to its request. */
function destroy(this: Duplex): void {
  this.destroy();
}

const gatesOf = (server: Server) =>
  server.listeners('upgrade').filter(listener => gateListeners.has(listener));

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

/** Changes as soon as a listener does something with a socket: writes, ends or destroys it, or listens to it. */
function signsOf(socket: Duplex): string {
  const listeners = socket.eventNames().map(name => socket.listenerCount(name));
  return [bytesWritten(socket), socket.writableEnded, socket.destroyed, ...listeners].join();
}

const EXPECTED_LISTENERS =
  'without upgrade listeners that answer or end what is not theirs: create WebSocketServers with noServer, and call handleUpgrade for their own paths only; give engine.io and socket.io destroyUpgrade: false';

const bytesWritten = (socket: Duplex) => (socket as Partial<Socket>).bytesWritten;
