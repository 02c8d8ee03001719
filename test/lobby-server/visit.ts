import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { WebSocket } from 'ws';

/** How an open socket was closed. */
export interface Ending {
  readonly code: number;
  readonly reason: string;
}

/** The outcome of an attempt to connect. */
export type Visit =
  | { readonly kind: 'open'; readonly ws: WebSocket; readonly ending: Promise<Ending> }
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly body: string;
      readonly headers: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'broken' };

/** Connects with the real `ws`. */
export function visit(url: string, options: WebSocket.ClientOptions = {}): Promise<Visit> {
  const ws = new WebSocket(url, options);
  ws.on('error', () => undefined);
  const ending = once(ws, 'close').then(([code, reason]: unknown[]) => ({
    code: code as number,
    reason: String(reason),
  }));
  return new Promise(resolve => {
    ws.on('open', () => resolve({ kind: 'open', ws, ending }));
    ws.on('unexpected-response', (_, response) => {
      const { statusCode: status = 0, headers } = response;
      void text(response).then(
        body => resolve({ kind: 'refused', status, body, headers }),
        () => resolve({ kind: 'broken' }),
      );
    });
    void ending.then(() => resolve({ kind: 'broken' }));
  });
}

/** The same, if the socket has to open. */
export async function enter(url: string): Promise<Extract<Visit, { kind: 'open' }>> {
  const visited = await visit(url);
  if (visited.kind !== 'open') throw new Error(`not admitted: ${JSON.stringify(visited)}`);
  return visited;
}
