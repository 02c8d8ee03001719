import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * What a route does with requests. `open`: it forwards them. `silent`: it accepts connections and
 * bytes, and sends nothing.
 * `closed`: it refuses connections. A status: it answers with it after a while, with an HTML page
 * unless it is 204. `garbled`:
 * with 204 and a page, which is no HTTP.
 */
export type RouteMode = 'open' | 'silent' | 'closed' | 'garbled' | 204 | 502 | 504;

/**
 * How long a request is held before it is answered with a page, in ms: about as long as the service
 * would hold it.
 */
const HOLD = 800;
/** A TCP proxy on a port of its own. */
export interface Route {
  readonly port: number;
  readonly set: (mode: RouteMode) => Promise<void>;
  readonly sockets: () => Promise<number>;
}

/**
 * Opens a route to a port. `backlog` connections at most wait to be accepted; further ones are not
 * made. `onRequest` gets the head of each request.
 */
export async function openRoute(
  to: number,
  backlog: number,
  onRequest: (head: string) => void,
): Promise<Route> {
  const open = new Set<Connection>();
  let mode: RouteMode = 'open';
  const server = createServer(socket => {
    const connection = newConnection(socket, to, () => mode, onRequest);
    open.add(connection);
    socket.once('close', () => open.delete(connection));
  });
  const port = await listenOn(server, 0, backlog);
  return {
    port,
    set: async next => {
      if (mode === 'closed') await listenOn(server, port, backlog);
      mode = next;
      if (mode === 'closed') server.close();
      for (const connection of open) connection.change(mode);
    },
    sockets: () => Promise.resolve(open.size),
  };
}

function listenOn(server: Server, port: number, backlog: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', backlog, () => resolve((server.address() as { port: number }).port));
  });
}

interface Connection {
  readonly change: (mode: RouteMode) => void;
}

function newConnection(
  client: Socket,
  to: number,
  mode: () => RouteMode,
  onRequest: (head: string) => void,
): Connection {
  let upstream: Socket | undefined;
  let head = '';
  /** Whether a request has had no byte of an answer. */
  let isPending = false;
  /** A connection whose bytes were lost stays silent for ever. */
  let isDead = false;

  const detach = () => {
    upstream?.removeAllListeners().on('error', () => undefined);
    upstream?.destroy();
    upstream = undefined;
  };
  const reset = () => {
    detach();
    // Node cannot reset a connection that is being closed.
    if (client.readableEnded || client.writableEnded) client.destroy();
    else client.resetAndDestroy();
  };
  const connected = () => {
    upstream = connect(to, '127.0.0.1');
    upstream.on('data', bytes => {
      isPending = false;
      client.write(bytes);
    });
    upstream.on('error', reset);
    upstream.on('end', () => client.end());
    return upstream;
  };
  const answer = (mode: RouteMode) => {
    detach();
    setTimeout(() => {
      if (!isPending || client.destroyed) return;
      isPending = false;
      client.write(pageOf(mode));
    }, HOLD);
  };

  client.on('error', () => undefined);
  client.once('close', detach);
  client.on('data', bytes => {
    const now = mode();
    head += bytes.toString('latin1');
    const isRequest = head.includes('\r\n\r\n');
    if (isRequest) {
      onRequest(head);
      head = '';
      isPending = true;
    }
    isDead ||= now === 'silent';
    if (isDead) return;
    if (!isAnswering(now)) (upstream ?? connected()).write(bytes);
    else if (isRequest) answer(now);
  });
  return {
    change: next => {
      if (isDead) return;
      isDead = next === 'silent';
      if (isDead) detach();
      if (next === 'closed') reset();
      if (isAnswering(next) && isPending) answer(next);
    },
  };
}

function isAnswering(mode: RouteMode): boolean {
  return mode === 'garbled' || typeof mode === 'number';
}

function pageOf(mode: RouteMode): string {
  const status = mode === 'garbled' ? 204 : mode;
  const html = mode === 204 ? '' : `<html><body><h1>${status}</h1></body></html>`;
  const length = mode === 204 ? '' : `Content-Length: ${html.length}\r\n`;
  return `HTTP/1.1 ${status} No\r\nContent-Type: text/html\r\n${length}\r\n${html}`;
}
