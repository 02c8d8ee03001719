import type { Server } from 'node:http';
import { WebSocketServer } from 'ws';

/** A typical hand-written gate: confirms the token during the upgrade, and admits the player if the service says OK. */
export function handWrittenGate(server: Server, matchmakerUrl: string, token: string): void {
  const sockets = new WebSocketServer({ noServer: true });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  server.on('upgrade', (request, socket, head) => {
    const player_token = new URL(request.url ?? '', 'http://lobby').searchParams.get('token');
    void fetch(`${matchmakerUrl}/v1/players/connected`, {
      ...{ method: 'POST', headers },
      body: JSON.stringify({ player_token }),
    }).then(({ ok }) => {
      if (ok) sockets.handleUpgrade(request, socket, head, ws => ws.on('message', () => undefined));
      else socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n');
    });
  });
}
