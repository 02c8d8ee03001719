import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Observable } from 'rxjs';
import { REFUSALS } from '../admission/index.js';
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
 * listeners. If those are all gates too, the last one answers 404, so that the request does not hang forever.
 */
export function upgrades({
  server,
  path,
  scheduler,
}: Pick<GateSettings, 'server' | 'path' | 'scheduler'>): Observable<Upgrade> {
  return new Observable(subscriber => {
    const listener = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (claimedSockets.has(socket) || subscriber.closed) return;
      // Also if the request is left to other listeners: an `error` event without a listener would end the process.
      if (!socketsWithErrorHandler.has(socket)) socket.on('error', () => socket.destroy());
      socketsWithErrorHandler.add(socket);
      if (path === undefined || path === request.url?.split('?', 1)[0]) {
        claimedSockets.add(socket);
        subscriber.next({ request, socket, head });
        return;
      }
      const listeners = server.listeners('upgrade');
      if (listeners.at(-1) !== listener || !listeners.every(other => gateListeners.has(other))) return;
      refuseUpgrade(socket, REFUSALS.noSuchPath, scheduler);
    };
    gateListeners.add(listener);
    server.on('upgrade', listener);
    return () => server.off('upgrade', listener);
  });
}
