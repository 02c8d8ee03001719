import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkOptions, type Options } from '../error/index.js';
import type { Emulator } from './emulator.js';
import { serviceUrls, type EmulatedResponse, type ServiceUrls } from './service/index.js';

/** The maximum size of a request body, in bytes. Real ones are much smaller. */
const MAX_BODY = 65_536;

/** The options of {@link listen}. */
export interface ListenConfig {
  /** The port to listen on. Default 0: any free port. */
  readonly port?: number;
}

const OPTIONS: Options<ListenConfig> = {
  port: {
    name: 'a whole number from 0 to 65535',
    is: u => Number.isInteger(u) && (u as number) >= 0 && (u as number) <= 65_535,
  },
};

/** An emulator served over HTTP. */
export interface EmulatorServer {
  /** The base URL of the server. All three services can also be reached at this URL. */
  readonly url: string;
  /** The base URLs of the three services, for a client: `createClient({ ...server.urls, token })`. */
  readonly urls: ServiceUrls;
  readonly port: number;
  /** Resolves to the number of open sockets. */
  readonly sockets: () => Promise<number>;
  /** Closes all connections. Resolves when the port is free again. */
  readonly close: () => Promise<void>;
}

/**
 * Serves an emulator over HTTP on 127.0.0.1, until `close()`. Rejects with an `InputError` if the config is invalid, and
 * with Node's own error (for example `EADDRINUSE`) if it cannot listen on the port.
 *
 * @example
 * const server = await listen(emulator);
 * const client = createClient({ ...server.urls, token });
 */
export async function listen(emulator: Emulator, config: ListenConfig = {}): Promise<EmulatorServer> {
  checkOptions(config, OPTIONS);
  const server = createServer((incoming, outgoing) => void serve(emulator, incoming, outgoing));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    urls: serviceUrls(url),
    port,
    sockets: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      }),
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(emulator: Emulator, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const body = await read(incoming);
  if (outgoing.destroyed) return;
  if (body === undefined) {
    send(outgoing, { status: 413, headers: { connection: 'close' }, body: '' });
    return;
  }

  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
  );
  const { method = 'GET', url = '/' } = incoming;
  const answer = emulator.handle({ method, url, headers, ...(body && { body }) }).subscribe({
    next: response => send(outgoing, response),
    error: () => send(outgoing, { status: 500, headers: {}, body: '' }),
  });
  outgoing.once('close', () => answer.unsubscribe());
}

/** The body of a request; `undefined` if it is too large. */
async function read(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BODY) return undefined;
      chunks.push(chunk);
    }
  } catch {
    // The client disconnected while it was sending, so nobody is waiting for an answer.
  }
  return Buffer.concat(chunks).toString();
}

function send(
  outgoing: ServerResponse,
  { status, headers, body, delivery = 'whole' }: EmulatedResponse,
): void {
  const { socket } = outgoing;
  if (delivery === 'stall_before_headers') return;
  if (delivery === 'reset_before_headers') {
    socket?.resetAndDestroy();
    return;
  }
  if (delivery === 'whole') {
    outgoing.writeHead(status, headers).end(body);
    return;
  }
  const bytes = Buffer.from(body);
  outgoing.writeHead(status, { ...headers, 'content-length': bytes.length });
  outgoing.write(bytes.subarray(0, bytes.length / 2), () => {
    if (delivery === 'reset_in_body') socket?.resetAndDestroy();
    if (delivery === 'close_in_body') socket?.end();
  });
}
