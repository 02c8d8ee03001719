import { text } from 'node:stream/consumers';
import { WebSocket } from 'ws';

/** How a socket was closed. */
export interface CloseInfo {
  readonly code: number;
  readonly reason: string;
}

/** The outcome of an attempt to connect. */
export type ConnectResult =
  | { readonly kind: 'open'; readonly ws: WebSocket; readonly closed: Promise<CloseInfo> }
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly body: string;
      readonly headers: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'broken' };

/** Tries to connect as a player, with ws. */
export function tryConnect(url: string, options: WebSocket.ClientOptions = {}): Promise<ConnectResult> {
  const ws = new WebSocket(url, options);
  ws.on('error', () => undefined);
  // Not `once` of node:events, which rejects if there is an error before.
  const closed = new Promise<CloseInfo>(resolve => {
    ws.once('close', (code, reason) => resolve({ code, reason: String(reason) }));
  });
  return new Promise(resolve => {
    ws.on('open', () => resolve({ kind: 'open', ws, closed }));
    ws.on('unexpected-response', (_, response) => {
      const { statusCode: status = 0, headers } = response;
      void text(response).then(
        body => resolve({ kind: 'refused', status, body, headers }),
        () => resolve({ kind: 'broken' }),
      );
    });
    void closed.then(() => resolve({ kind: 'broken' }));
  });
}

/** Connects as a player. Throws if the socket does not open. */
export async function connectPlayer(url: string): Promise<Extract<ConnectResult, { kind: 'open' }>> {
  const result = await tryConnect(url);
  if (result.kind !== 'open') throw new Error(`not admitted: ${JSON.stringify(result)}`);
  return result;
}
