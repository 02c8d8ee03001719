import { Observable } from 'rxjs';
import { refuseUpgrade } from './refuse-upgrade.js';
import { REFUSALS } from './refusals.js';
import type { GateSettings } from './gate-settings.js';
import type { Upgrade } from './upgrade.js';

/** The listeners of gates, and the sockets that one of them has looked at, or taken: a server may have several gates. */
const gates = new WeakSet();
const guarded = new WeakSet();
const taken = new WeakSet();

/**
 * The upgrade requests of a server to a path. What is for another path is left to the server's other listeners; where they
 * are all gates too, the last of them turns away what none of them wants, so that it does not stay open for ever.
 */
export function upgrades({
  server,
  path,
  scheduler,
}: Pick<GateSettings, 'server' | 'path' | 'scheduler'>): Observable<Upgrade> {
  return new Observable(subscriber => {
    const listener = (request: Upgrade['request'], socket: Upgrade['socket'], head: Buffer) => {
      if (taken.has(socket) || subscriber.closed) return;
      // Also of those that are left to others: a connection that breaks before anyone listens would end the process.
      if (!guarded.has(socket)) socket.on('error', () => socket.destroy());
      guarded.add(socket);
      if (path === undefined || path === request.url?.split('?', 1)[0]) {
        taken.add(socket);
        subscriber.next({ request, socket, head });
        return;
      }
      const listeners = server.listeners('upgrade');
      if (listeners.at(-1) !== listener || !listeners.every(other => gates.has(other))) return;
      refuseUpgrade(socket, REFUSALS.notHere, scheduler);
    };
    gates.add(listener);
    server.on('upgrade', listener);
    return () => server.off('upgrade', listener);
  });
}
