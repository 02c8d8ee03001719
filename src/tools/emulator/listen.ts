import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defer } from 'rxjs';
import {
  aFunction,
  checkOptions,
  InputError,
  nonEmptyString,
  printable,
  textOf,
  type Options,
} from '../../error/index.js';
import { answerControl, CONTROL_PATH, type Control, type ControlAccess } from './control/index.js';
import type { Emulator } from './emulator.js';
import { serviceUrls, type EmulatedResponse, type Handler, type ServiceUrls } from './service/index.js';
import { socketPool, type SocketPool } from './socket-pool.js';

const LOOPBACK = '127.0.0.1';

/** The maximum size of a request body, in bytes. Real ones are much smaller. */
const MAX_BODY_BYTES = 65_536;

/** The options of {@link listen}. */
export interface ListenConfig {
  /** The port to listen on. Default 0, which is any free port. */
  readonly port?: number;
  /**
   * The address to listen on. Default `127.0.0.1`. With `0.0.0.0`, other machines can reach the
   * emulator, for example a phone or a container. All of them may then use the service.
   */
  readonly host?: string;
  /**
   * Further host names under which pages and programs may reach the `control` and the `workbench`.
   * A name with a port includes the port. Default: none.
   */
  readonly allowHosts?: readonly string[];
  /**
   * Commands to offer at `/_emulator/…`. A request needs the secret in `EmulatorServer.control`.
   * Default: none.
   */
  readonly control?: Control;
  /**
   * Answers requests for the page at `/_emulator/workbench`, and the page's own requests below that
   * path. Those need the secret. It works only with a `control`. Default: none.
   */
  readonly workbench?: Handler;
}

const OPTIONS: Options<ListenConfig> = {
  port: {
    name: 'a whole number from 0 to 65535',
    is: u => Number.isInteger(u) && (u as number) >= 0 && (u as number) <= 65_535,
  },
  host: nonEmptyString,
  allowHosts: {
    name: 'a list of names, with their ports if they have one',
    is: u => Array.isArray(u) && u.every(nonEmptyString.is),
  },
  control: {
    name: 'what createControl returns',
    is: u => typeof (Object(u) as Partial<Control>).run === 'function',
  },
  workbench: aFunction,
};

/** An emulator served over HTTP. */
export interface EmulatorServer {
  /** The base URL of the server. All three services can also be reached at this URL. */
  readonly url: string;
  /**
   * The base URLs of the three services, for a client: `createClient({ ...server.urls, token })`.
   */
  readonly urls: ServiceUrls;
  readonly port: number;
  /**
   * The URL for POST requests with commands, and the bearer token for them. `undefined` unless
   * `listen` was called with a `control`.
   */
  readonly control: { readonly url: string; readonly secret: string } | undefined;
  /** Resolves to the number of open sockets. */
  readonly sockets: () => Promise<number>;
  /** Closes all connections. Resolves when the port is free again. */
  readonly close: () => Promise<void>;
}

/**
 * Serves an emulator over HTTP, until `close()`. The default address is 127.0.0.1. Rejects with an
 * `InputError` if the config is invalid, and with Node's own error (for example `EADDRINUSE`) if it
 * cannot listen on the port. It needs Node. In a page, use `emulator.transport`.
 *
 * @example
 * const server = await listen(emulator);
 * const client = createClient({ ...server.urls, token });
 */
export async function listen(
  emulator: Pick<Emulator, 'handle'>,
  config: ListenConfig = {},
): Promise<EmulatorServer> {
  checkOptions(config, OPTIONS);
  // Not imported, because a page may use the rest of the emulator, and its bundler would not find
  // these modules.
  const { createServer } = nodeModule('node:http');
  const { createHash, randomBytes, timingSafeEqual } = nodeModule('node:crypto');
  const server = createServer();
  const pool = socketPool(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port ?? 0, config.host ?? LOOPBACK, resolve);
  });
  const { port, address } = server.address() as AddressInfo;
  const isAny = address === '0.0.0.0' || address === '::';
  const name = isAny ? LOOPBACK : nameOfAddress(address);
  const url = `http://${name}:${port}`;
  const names = [name, LOOPBACK, 'localhost'];
  if (isAny) names.push('[::1]');
  const secret = randomBytes(24).toString('base64url');
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = digest(`Bearer ${secret}`);
  const access: ControlAccess = {
    // In constant time, because the duration must not show how much of a guess is right.
    isAllowed: authorization => timingSafeEqual(digest(authorization), expected),
    hosts: hostsOf(names, port, config.allowHosts),
  };
  const { control, workbench } = config;
  const controls = control && { control, ...(workbench && { workbench }) };
  const handle: Handler = request =>
    controls && request.url.startsWith(CONTROL_PATH)
      ? answerControl(controls, access, request)
      : emulator.handle(request);
  server.on('request', (incoming, outgoing) => void serve(handle, pool, incoming, outgoing));
  return {
    url,
    urls: serviceUrls(url),
    port,
    control: control && { url: url + CONTROL_PATH.slice(0, -1), secret },
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

/** An address as a part of a URL. An IPv6 address is in brackets. */
function nameOfAddress(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

/** All accepted values of the Host header. Programs leave out the default port 80. */
function hostsOf(names: readonly string[], port: number, more: readonly string[] = []): readonly string[] {
  const own = names.map(name => `${name}:${port}`);
  const short = port === 80 ? names : [];
  const others = more.map(host => host.toLowerCase());
  return [...new Set([...own, ...short, ...others])];
}

function nodeModule<Name extends 'node:http' | 'node:crypto'>(name: Name) {
  const { process } = globalThis as { process?: Partial<NodeJS.Process> };
  if (!process?.getBuiltinModule)
    throw new InputError('listen', 'called in Node; in a page, use emulator.transport', 'a call in a page');
  return process.getBuiltinModule(name);
}

async function serve(
  handle: Handler,
  pool: SocketPool,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { method = 'GET', url = '/', socket } = incoming;
  const isControl = url.startsWith(CONTROL_PATH);
  // Commands and the workbench are answered on dead connections too. They are not the service.
  const isDead = () => !isControl && pool.isDead(socket);
  const body = await read(incoming);
  if (outgoing.destroyed || isDead()) return;
  if (body === undefined) {
    send(outgoing, { status: 413, headers: { connection: 'close' }, body: '' });
    return;
  }

  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
  );
  const answer = defer(() => handle({ method, url, headers, ...(body && { body }) })).subscribe({
    next: response => {
      if (response.delivery === 'dead_pool') pool.kill();
      if (isDead()) return;
      try {
        send(outgoing, response);
      } catch {
        // Another handler than that of the emulator may send a header that Node rejects.
        socket.destroy();
      }
    },
    // A bug, or an invalid saved world. The next request is served.
    error: (error: unknown) => {
      console.error(`lobby-rx emulator: ${method} failed: ${printable(textOf(error)).slice(0, 300)}`);
      send(outgoing, { status: 500, headers: {}, body: '' });
    },
  });
  outgoing.once('close', () => answer.unsubscribe());
}

/** The body of a request. `undefined` if it is too large. */
async function read(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) return undefined;
      chunks.push(chunk);
    }
  } catch {
    // The client disconnected while it was sending, so no answer is awaited.
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
