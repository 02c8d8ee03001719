import type { IncomingMessage } from 'node:http';
import { WebSocketServer, type WebSocket } from 'ws';
import { redact, type Guard } from '../../../error/index.js';
import { createPendingSocket, REFUSALS, type PendingSocket, type Responder } from '../admission/index.js';
import { callHook } from '../call-hook.js';
import type { GateSettings } from '../lobby-gate-config.js';
import { Connection } from '../socket/index.js';
import { refuseUpgrade } from './refuse-upgrade.js';
import type { TokenRequest } from './token-source.js';
import type { Upgrade } from './upgrades.js';

/**
 * Turns an upgrade request into a pending socket, whose upgrade is completed when it is accepted. Returns undefined if the
 * request is not a valid WebSocket handshake. In that case it has already been answered, and its token was not used.
 */
export function createHandshake(
  settings: GateSettings,
): (upgrade: Upgrade, address: string, tokenRequest: TokenRequest) => PendingSocket | undefined {
  const { maxPayload, scheduler } = settings;
  // ws validates the handshake, then calls `verifyClient` synchronously. Its callback is kept until the token is confirmed.
  const completions = new WeakMap<IncomingMessage, () => void>();
  const tokenRequests = new WeakMap<IncomingMessage, TokenRequest>();
  const server = new WebSocketServer({
    ...{ noServer: true, clientTracking: false, maxPayload },
    perMessageDeflate: settings.ws.perMessageDeflate ?? false,
    // Newer than the types of ws. Small pieces cost much more memory than the bytes that are in them.
    ...{
      maxFragments: Math.max(16, Math.ceil(maxPayload / 1_024)),
      maxBufferedChunks: Math.max(32, Math.ceil(maxPayload / 512)),
    },
    verifyClient: ({ req }: { req: IncomingMessage }, done: (isVerified: true) => void) =>
      completions.set(req, () => done(true)),
    handleProtocols: (offered, request) =>
      selectProtocol(withoutTokens(offered, tokenRequests.get(request)), request, settings),
  });
  // Otherwise ws would answer by itself.
  server.on('wsClientError', () => undefined);

  return ({ request, socket, head }, address, tokenRequest) => {
    let ws: WebSocket | undefined;
    tokenRequests.set(request, tokenRequest);
    server.handleUpgrade(request, socket, head, opened => (ws = opened));
    // Gone once it has been called: it holds on to the request and all that it came with.
    let complete = completions.get(request);
    const isHandshake = complete !== undefined;

    // A client must not send data before the answer (RFC 6455, 4.1). Unread data would also hide a disconnect.
    const rejectEarlyData = () => pending.reject(REFUSALS.noHandshake);
    const destroy = () => socket.destroy();
    socket.on('data', rejectEarlyData).on('end', destroy);
    const responder: Responder = {
      isConnected: () => !socket.destroyed,
      accept: () => {
        socket.off('data', rejectEarlyData).off('end', destroy).pause();
        try {
          complete?.();
          complete = undefined;
        } catch {
          // Another listener of the server has upgraded this socket.
          socket.destroy();
        }
        socket.resume();
        return ws && new Connection(ws, socket, settings);
      },
      reject: refusal => {
        refuseUpgrade(socket, refusal, scheduler);
        return refusal.status;
      },
    };
    const { url, headers } = tokenRequest;
    const pending = createPendingSocket({ address, url, headers }, responder, settings);
    if (isHandshake && head.length === 0) return pending;
    pending.reject(request.method === 'GET' ? REFUSALS.noHandshake : REFUSALS.noGet);
    return undefined;
  };
}

/** What is selected is sent back, where others may see it. */
function withoutTokens(offered: Set<string>, tokenRequest: TokenRequest | undefined): Set<string> {
  const { token = '', headers = {} } = tokenRequest ?? {};
  const others = headers['sec-websocket-protocol']?.split(',').map(protocol => protocol.trim());
  return new Set(
    [...offered].filter(
      protocol => others?.includes(protocol) && protocol !== token && redact(protocol, [token]) === protocol,
    ),
  );
}

function selectProtocol(
  offered: Set<string>,
  request: IncomingMessage,
  settings: GateSettings,
): string | false {
  const [first = false] = offered;
  const { handleProtocols } = settings.ws;
  if (!handleProtocols) return first;
  const selected = callHook(
    'ws.handleProtocols',
    () => handleProtocols(offered, request),
    aProtocol,
    settings,
  );
  return selected !== undefined && selected !== false && offered.has(selected) && selected;
}

const aProtocol: Guard<string | false> = {
  name: 'a string or false',
  is: (u): u is string | false => typeof u === 'string' || u === false,
};
