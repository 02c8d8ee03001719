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
    const connection = new Connection(socket, to, () => mode, onRequest);
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

/** A connection of a client, and the one to the service that belongs to it. */
class Connection {
  #upstream: Socket | undefined;
  #head = '';
  /** Whether a request has had no byte of an answer. */
  #isPending = false;
  /** A connection whose bytes were lost stays silent for ever. */
  #isDead = false;

  constructor(
    private readonly client: Socket,
    private readonly to: number,
    private readonly mode: () => RouteMode,
    private readonly onRequest: (head: string) => void,
  ) {
    client.on('error', () => undefined);
    client.once('close', () => this.#detach());
    client.on('data', bytes => this.#receive(bytes));
  }

  change(next: RouteMode): void {
    if (this.#isDead) return;
    this.#isDead = next === 'silent';
    if (this.#isDead) this.#detach();
    if (next === 'closed') this.#reset();
    if (isAnswering(next) && this.#isPending) this.#answer(next);
  }

  #receive(bytes: Buffer): void {
    const now = this.mode();
    this.#head += bytes.toString('latin1');
    const isRequest = this.#head.includes('\r\n\r\n');
    if (isRequest) {
      this.onRequest(this.#head);
      this.#head = '';
      this.#isPending = true;
    }
    this.#isDead ||= now === 'silent';
    if (this.#isDead) return;
    if (!isAnswering(now)) (this.#upstream ?? this.#connected()).write(bytes);
    else if (isRequest) this.#answer(now);
  }

  #connected(): Socket {
    const upstream = connect(this.to, '127.0.0.1');
    this.#upstream = upstream;
    upstream.on('data', bytes => {
      this.#isPending = false;
      this.client.write(bytes);
    });
    upstream.on('error', () => this.#reset());
    upstream.on('end', () => this.client.end());
    return upstream;
  }

  #answer(mode: RouteMode): void {
    this.#detach();
    setTimeout(() => {
      if (!this.#isPending || this.client.destroyed) return;
      this.#isPending = false;
      this.client.write(pageOf(mode));
    }, HOLD);
  }

  #detach(): void {
    this.#upstream?.removeAllListeners().on('error', () => undefined);
    this.#upstream?.destroy();
    this.#upstream = undefined;
  }

  #reset(): void {
    this.#detach();
    // Node cannot reset a connection that is being closed.
    if (this.client.readableEnded || this.client.writableEnded) this.client.destroy();
    else this.client.resetAndDestroy();
  }
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
