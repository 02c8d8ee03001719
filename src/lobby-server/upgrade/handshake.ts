import { WebSocketServer, type WebSocket } from 'ws';
import {
  createPendingSocket,
  REFUSALS,
  type PendingSocket,
  type RequestDetails,
  type Responder,
} from '../admission/index.js';
import type { GateSettings } from '../lobby-gate-config.js';
import { createConnection } from '../socket/index.js';
import { destroyAfterGrace, refuseUpgrade } from './refuse-upgrade.js';
import type { Upgrade } from './upgrades.js';

/**
 * Turns an upgrade request into a pending socket, whose upgrade is completed when it is accepted. Returns undefined if the
 * request is not a valid WebSocket handshake. In that case it has already been answered, and its token was not used.
 */
export type Handshake = (upgrade: Upgrade, details: RequestDetails) => PendingSocket | undefined;

export function createHandshake(settings: GateSettings): Handshake {
  const { log, scheduler } = settings;
  // ws validates the handshake, then calls `verifyClient` synchronously. Its callback is kept until the token is confirmed.
  const completions = new WeakMap<Upgrade['request'], () => void>();
  const options = {
    ...{ noServer: true, clientTracking: false, maxPayload: settings.maxPayload },
    verifyClient: ({ req }: { req: Upgrade['request'] }, done: (isVerified: true) => void) =>
      completions.set(req, () => done(true)),
  };
  const server = new WebSocketServer(options);

  return ({ request, socket, head }, details) => {
    let ws: WebSocket | undefined;
    server.handleUpgrade(request, socket, head, opened => (ws = opened));
    const complete = completions.get(request);
    if (!complete) {
      // ws has already answered it.
      destroyAfterGrace(socket, scheduler);
      const { status, reason } = REFUSALS.noHandshake;
      log({ kind: 'refused', at: scheduler.now(), address: details.address, code: status, reason });
      return undefined;
    }

    // A client must not send data before the answer (RFC 6455, 4.1). Unread data would also hide a disconnect.
    const rejectEarlyData = () => pending.reject(REFUSALS.noHandshake);
    const destroy = () => socket.destroy();
    socket.on('data', rejectEarlyData).on('end', destroy);
    const responder: Responder = {
      isConnected: () => !socket.destroyed,
      accept: () => {
        socket.off('data', rejectEarlyData).off('end', destroy).pause();
        try {
          complete();
        } catch {
          // Another listener of the server has upgraded this socket.
          socket.destroy();
        }
        socket.resume();
        return ws && createConnection(ws, settings);
      },
      reject: refusal => {
        refuseUpgrade(socket, refusal, scheduler);
        return refusal.status;
      },
    };
    const pending = createPendingSocket(details, responder, settings);
    if (head.length === 0) return pending;
    rejectEarlyData();
    return undefined;
  };
}
