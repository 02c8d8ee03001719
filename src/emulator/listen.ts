import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkArgument } from '../error/index.js';
import { fromGuard } from '../protocol/index.js';
import type { EmulatedResponse } from './emulated-response.js';
import type { Emulator } from './emulator.js';
import { serviceUrls } from './service-urls.js';

/** Larger bodies than any of the service's are refused. In bytes. */
const LARGEST_BODY = 65_536;

const portNumber = fromGuard(
  'a whole number from 0 to 65535',
  (u): u is number => Number.isInteger(u) && (u as number) >= 0 && (u as number) <= 65_535,
);

/** An emulator that answers over HTTP. */
export interface EmulatorServer {
  readonly groupUrl: string;
  readonly matchmakerUrl: string;
  readonly apiUrl: string;
  readonly port: number;
  /** How many sockets are open now. */
  readonly sockets: () => Promise<number>;
  /** Hangs up on everyone; resolves when the port is free again. */
  readonly close: () => Promise<void>;
}

/** Where {@link listen} listens. */
export interface ListenConfig {
  /** Default 0: one that is free. */
  readonly port?: number;
}

/**
 * Serves an emulator over HTTP on 127.0.0.1. Rejects where the port is taken.
 *
 * @example
 * const server = await listen(emulator);
 * const client = createClient({ ...server, token });
 */
export async function listen(emulator: Emulator, { port = 0 }: ListenConfig = {}): Promise<EmulatorServer> {
  checkArgument('port', portNumber, port);
  const server = createServer((incoming, outgoing) => void serve(emulator, incoming, outgoing));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    ...serviceUrls(`http://127.0.0.1:${bound}`),
    port: bound,
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

/** The body of a request; `undefined` where it is too large. */
async function read(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > LARGEST_BODY) return undefined;
      chunks.push(chunk);
    }
  } catch {
    // The caller hung up while sending: nobody is there to be answered.
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
