import { once } from 'node:events';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { Observable } from 'rxjs';
import { WebSocket } from 'ws';

// The parts of the peers that are measured, typed here: the project is type-checked where they are
// not installed.

/** The official client, `@rivet-gg/api`. */
export interface OfficialClient {
  readonly group: { getMembers(group_id: string): Promise<{ readonly members: readonly unknown[] }> };
  readonly identity: {
    readonly events: {
      watch(input: {
        watchIndex?: string;
      }): Promise<{ readonly events: readonly unknown[]; readonly watch: { readonly index: string } }>;
    };
  };
}

export function officialClient(url: string): OfficialClient {
  const { RivetClient } = load('@rivet-gg/api') as { RivetClient: new (config: object) => OfficialClient };
  return new RivetClient({ environment: url, token: 't' });
}

/** Follows the events in the loop that one writes around the official client, which has none. */
export async function followOfficially(
  { identity }: OfficialClient,
  onEvents: (events: readonly unknown[]) => void,
  isStopped: () => boolean = () => false,
): Promise<void> {
  const { RivetTimeoutError } = load('@rivet-gg/api') as { RivetTimeoutError: new () => Error };
  for (let watchIndex: string | undefined; !isStopped();) {
    try {
      const { events, watch } = await identity.events.watch(watchIndex === undefined ? {} : { watchIndex });
      if (events.length > 0 && !isStopped()) onEvents(events);
      watchIndex = watch.index;
    } catch (error) {
      // A poll that waits for a minute has failed, for this client.
      if (!(error instanceof RivetTimeoutError)) throw error;
    }
  }
}

/**
 * The deserializer of the official client for a batch of events, with the options that this client
 * uses.
 */
export function officialDeserializer(): (json: unknown) => Promise<unknown> {
  interface Schema {
    parseOrThrow(json: unknown, options: object): Promise<unknown>;
  }
  const { identity } = load('@rivet-gg/api/serialization') as { identity: { WatchEventsResponse: Schema } };
  return json =>
    identity.WatchEventsResponse.parseOrThrow(json, {
      unrecognizedObjectKeys: 'passthrough',
      allowUnrecognizedUnionMembers: true,
      allowUnrecognizedEnumValues: true,
    });
}

/** rx-polling, which is made for browsers: it is given a document that is always visible. */
export function rxPolling(): <T>(request$: Observable<T>, interval: number) => Observable<T> {
  Object.assign(globalThis, { document: Object.assign(new EventTarget(), { hidden: false }) });
  type Polling = <T>(request$: Observable<T>, config: { interval: number }) => Observable<T>;
  const { default: polling } = load('rx-polling') as { default: Polling };
  return (request$, interval) => polling(request$, { interval });
}

/** A certificate for an address, and its key. */
export async function certificate(ip: string): Promise<{ readonly cert: string; readonly key: string }> {
  interface SelfSigned {
    readonly generate: (
      subject: readonly object[],
      options: object,
    ) => Promise<{ cert: string; private: string }>;
  }
  const { generate } = load('selfsigned') as SelfSigned;
  const extensions = [{ name: 'subjectAltName', altNames: [{ type: 7, ip }] }];
  const { cert, private: key } = await generate([{ name: 'commonName', value: ip }], { extensions });
  return { cert, key };
}

/** Whether a player may come in. Rejects if that is not known. */
export type ConfirmPlayer = (token: string) => Promise<boolean>;

/** A socket.io server that echoes messages, with a middleware that confirms players. */
export function serveSocketIo(server: Server, confirm: ConfirmPlayer): () => void {
  interface Socket {
    readonly handshake: { readonly auth: { readonly token: string } };
    on(name: 'message', listener: (data: unknown) => void): void;
    send(data: unknown): void;
  }
  interface Io {
    use(middleware: (socket: Socket, next: (error?: Error) => void) => void): void;
    on(name: 'connection', listener: (socket: Socket) => void): void;
    close(): unknown;
  }
  const { Server: IoServer } = load('socket.io') as { Server: new (server: Server, options: object) => Io };
  const io = new IoServer(server, { serveClient: false, destroyUpgrade: false });
  io.use((socket, next) => {
    confirm(socket.handshake.auth.token).then(
      isOk => next(isOk ? undefined : new Error('refused')),
      () => next(new Error('unknown')),
    );
  });
  io.on('connection', socket => socket.on('message', data => socket.send(data)));
  return () => void io.close();
}

interface IoSocket {
  once(name: string, listener: (value: unknown) => void): void;
  disconnect(): void;
}

/** Connects a player to {@link serveSocketIo}. */
export async function joinSocketIo(port: number, token: string): Promise<() => void> {
  const socket = await openSocketIo(port, { auth: { token }, reconnection: false });
  return () => socket.disconnect();
}

/** Resolves to a socket of socket.io once it is connected to {@link serveSocketIo}. */
export async function openSocketIo(port: number, options: object = {}): Promise<IoSocket> {
  const { io } = load('socket.io-client') as { io: (url: string, options: object) => IoSocket };
  const socket = io(`http://127.0.0.1:${port}`, { transports: ['websocket'], forceNew: true, ...options });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', () => resolve());
    socket.once('connect_error', error => reject(error));
  });
  return socket;
}

/** Resolves to a socket of partysocket once it is open. */
export function openPartySocket(url: string, WebSocket: object): Promise<unknown> {
  type Socket = EventTarget & { readonly url: string };
  const { default: PartySocket } = load('partysocket/ws') as {
    default: new (url: string, protocols: readonly string[], options: object) => Socket;
  };
  return new Promise(resolve => {
    const socket = new PartySocket(url, [], { WebSocket });
    socket.addEventListener('open', () => resolve(socket));
    socket.addEventListener('message', () => undefined);
  });
}

/** A Colyseus server whose rooms confirm players in `onAuth`. */
export async function serveColyseus(server: Server, confirm: ConfirmPlayer): Promise<void> {
  interface Colyseus {
    define(name: string, room: unknown): void;
    listen(port: number, host: string): Promise<unknown>;
  }
  const core = load('@colyseus/core') as {
    Room: new () => object;
    Server: new (options: object) => Colyseus;
  };
  const { WebSocketTransport } = load('@colyseus/ws-transport') as {
    WebSocketTransport: new (options: object) => unknown;
  };
  class Lobby extends core.Room {
    static onAuth(token: string): Promise<boolean> {
      return confirm(token);
    }
  }
  const transport = new WebSocketTransport({ server });
  const colyseus = new core.Server({ transport, greet: false, gracefullyShutdown: false });
  colyseus.define('lobby', Lobby);
  // It answers requests for seats only from then on.
  await colyseus.listen(0, '127.0.0.1');
}

/** Connects a player to {@link serveColyseus}: by a request for a seat, then a socket. */
export async function joinColyseus(port: number, token: string): Promise<() => void> {
  const response = await fetch(`http://127.0.0.1:${port}/matchmake/joinOrCreate/lobby`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
  });
  const { processId, roomId, sessionId } = (await response.json()) as Record<string, string>;
  const ws = new WebSocket(`ws://127.0.0.1:${port}/${processId}/${roomId}?sessionId=${sessionId}`);
  await once(ws, 'message');
  // That it has joined: without it, no message would come.
  ws.send(Buffer.from([10]));
  return () => ws.terminate();
}

const require = createRequire(import.meta.url);

/** The same copies as `import` would give: the peers' CommonJS shares its rxjs with the library. */
export function load(name: string): unknown {
  return require(name);
}
