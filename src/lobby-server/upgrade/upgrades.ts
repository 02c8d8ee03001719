import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Observable } from 'rxjs';
import { InputError } from '../../error/index.js';
import { REFUSALS } from '../admission/index.js';
import { aString, callHook } from '../call-hook.js';
import type { GateSettings } from '../lobby-gate-config.js';
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

/**
 * The upgrade requests of a server for a path; never completes. Requests for other paths are left to the server's other
 * listeners. If those are all gates too, the last one answers 404 and logs it, so that the request does not hang forever. A request that
 * another listener answers although its path is the gate's own is refused.
 */
export function upgrades({
  server,
  path,
  addressOf,
  log,
  scheduler,
}: Pick<GateSettings, 'server' | 'path' | 'addressOf' | 'log' | 'scheduler'>): Observable<Upgrade> {
  const hasOtherListeners = () => !server.listeners('upgrade').every(listener => gateListeners.has(listener));
  let hasWarned = false;
  const refuseAnswered = (socket: Duplex) => {
    socket.destroy();
    const { status: code, reason } = REFUSALS.otherListener;
    const error = new InputError('server', EXPECTED_LISTENERS, 'one that also answers requests for the gate');
    const address = (socket as Partial<Socket>).remoteAddress ?? '';
    log({ kind: 'refused', at: scheduler.now(), address, code, reason, error });
    // Not only for the log: no player can enter such a gate.
    if (!hasWarned) process.emitWarning(error);
    hasWarned = true;
  };

  return new Observable(subscriber => {
    const listener = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (claimedSockets.has(socket) || subscriber.closed) return;
      // Also if the request is left to other listeners: an `error` event without a listener would end the process.
      if (!socketsWithErrorHandler.has(socket)) socket.on('error', () => socket.destroy());
      socketsWithErrorHandler.add(socket);
      if (path === undefined || path === request.url?.split('?', 1)[0]) {
        claimedSockets.add(socket);
        const written = bytesWritten(socket);
        // After the other listeners have been called, and before anything else can happen.
        queueMicrotask(() => {
          const isAnswered = bytesWritten(socket) !== written || socket.destroyed;
          if (isAnswered && hasOtherListeners()) refuseAnswered(socket);
          else if (subscriber.closed) refuseUpgrade(socket, REFUSALS.gateClosed, scheduler);
          else subscriber.next({ request, socket, head });
        });
        return;
      }
      if (server.listeners('upgrade').at(-1) !== listener || hasOtherListeners()) return;
      const { status: code, reason } = REFUSALS.noSuchPath;
      const address = callHook('addressOf', () => addressOf(request), aString, { log, scheduler }) ?? '';
      log({ kind: 'refused', at: scheduler.now(), address, code, reason });
      refuseUpgrade(socket, REFUSALS.noSuchPath, scheduler);
    };
    gateListeners.add(listener);
    // Before the others, so that it sees whether they answer.
    server.prependListener('upgrade', listener);
    return () => server.off('upgrade', listener);
  });
}

const EXPECTED_LISTENERS =
  'without upgrade listeners that answer every path: create WebSocketServers with noServer, and call handleUpgrade for their own paths only';

const bytesWritten = (socket: Duplex) => (socket as Partial<Socket>).bytesWritten;
