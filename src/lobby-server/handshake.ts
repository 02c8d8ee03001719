import { WebSocketServer, type WebSocket } from 'ws';
import { createCandidate, type Candidate, type CandidateFacts, type CandidateWays } from './candidate.js';
import { createConnection } from './connection.js';
import { destroySoon } from './destroy-soon.js';
import type { GateSettings } from './gate-settings.js';
import { REFUSALS } from './refusals.js';
import { refuseUpgrade } from './refuse-upgrade.js';
import type { Upgrade } from './upgrade.js';

/**
 * Makes a candidate of an upgrade request, whose upgrade is completed when he is accepted. Undefined where the request is
 * no handshake: it has been answered then, before any token was spent on it.
 */
export function createHandshake(
  settings: GateSettings,
): (upgrade: Upgrade, facts: CandidateFacts) => Candidate | undefined {
  const { log, scheduler } = settings;
  // ws looks at the handshake first, and where it is one, asks at once whether to go on.
  const continuations = new WeakMap<Upgrade['request'], () => void>();
  const options = {
    ...{ noServer: true, clientTracking: false, maxPayload: settings.maxPayload },
    verifyClient: ({ req }: { req: Upgrade['request'] }, done: (isVerified: true) => void) =>
      continuations.set(req, () => done(true)),
  };
  const server = new WebSocketServer(options);

  return ({ request, socket, head }, facts) => {
    let ws: WebSocket | undefined;
    server.handleUpgrade(request, socket, head, opened => (ws = opened));
    const complete = continuations.get(request);
    if (!complete) {
      destroySoon(socket, scheduler);
      const { status, reason } = REFUSALS.notHandshake;
      log({ kind: 'refused', at: scheduler.now(), address: facts.address, code: status, reason });
      return undefined;
    }

    const leave = () => socket.destroy();
    // Nobody may send before he is answered (RFC 6455, 4.1); and while data lies unread, his going would not be seen.
    const interrupt = () => candidate.reject(REFUSALS.notHandshake);
    socket.on('data', interrupt).on('end', leave);
    const ways: CandidateWays = {
      isThere: () => !socket.destroyed,
      accept: () => {
        socket.off('data', interrupt).off('end', leave).pause();
        try {
          complete();
        } catch {
          // Another listener of the server has made a WebSocket of it.
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
    const candidate = createCandidate(facts, ways, settings);
    if (head.length === 0) return candidate;
    interrupt();
    return undefined;
  };
}
