import { WebSocketServer, type WebSocket } from 'ws';
import type { GateSettings } from './gate-settings.js';
import { createLine } from './line.js';
import { refuseUpgrade } from './refuse-upgrade.js';
import type { Upgrade } from './upgrade.js';
import type { Visitor } from './visitor.js';

/**
 * Makes a visitor of an upgrade request, whose upgrade is completed when he enters. Undefined where the request is no
 * handshake: it has been answered then, before any token was spent on it.
 */
export function createHandshakes(settings: GateSettings) {
  const { log, scheduler } = settings;
  // ws looks at the handshake first, and where it is one, asks whether to go on.
  const goOn = new WeakMap<Upgrade['request'], () => void>();
  const options = {
    ...{ noServer: true, clientTracking: false, maxPayload: settings.maxPayload },
    verifyClient: ({ req }: { req: Upgrade['request'] }, done: (isVerified: true) => void) =>
      goOn.set(req, () => done(true)),
  };
  const server = new WebSocketServer(options);

  return (
    { request, socket, head }: Upgrade,
    { address, url }: Pick<Visitor, 'address' | 'url'>,
  ): Visitor | undefined => {
    let ws: WebSocket | undefined;
    server.handleUpgrade(request, socket, head, opened => (ws = opened));
    const complete = goOn.get(request);
    if (!complete) return undefined;

    // Half a connection is of no use to a player; who has said that he sends nothing more has gone.
    const leave = () => socket.destroy();
    socket.once('end', leave);
    let isSettled = false;
    return {
      address,
      url,
      enter: () => {
        if (isSettled || socket.destroyed) return undefined;
        isSettled = true;
        socket.off('end', leave);
        complete();
        return ws && createLine(ws, settings);
      },
      turnAway: refusal => {
        if (isSettled || socket.destroyed) return;
        isSettled = true;
        refuseUpgrade(socket, refusal);
        const { status: code, reason } = refusal;
        log({ kind: 'refused', at: scheduler.now(), address, code, reason });
      },
    };
  };
}
