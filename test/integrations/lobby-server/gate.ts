import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defer, first, Subject, switchMap, tap, type SchedulerLike } from 'rxjs';
import { createClient, fromFetch, type Client, type ClientConfig, type Transport } from 'lobby-rx';
import {
  createEmulator,
  listen,
  type Emulator,
  type EmulatorConfig,
  type EmulatorServer,
} from 'lobby-rx/emulator';
import {
  lobbyGate,
  type GateLogEntry,
  type LobbyGate,
  type LobbyGateConfig,
  type PlayerSocket,
} from 'lobby-rx/lobby-server';
import type { SettableTime } from '../../settable-time.js';
import { virtualTime } from '../../virtual-time.js';

/**
 * A lobby server with its gate, and the emulated service: over real HTTP, but in virtual time, so
 * that nothing times out on a slow machine.
 */
export interface OpenGate {
  readonly emulator: Emulator;
  readonly service: EmulatorServer;
  readonly client: Client;
  readonly server: Server;
  readonly port: number;
  readonly gate$: LobbyGate;
  readonly stats$: LobbyGate['stats$'];
  readonly admitted: readonly PlayerSocket[];
  readonly scheduler: SchedulerLike;
  /** Advances the clock by this many ms. */
  readonly pass: (ms: number) => void;
  /** The tokens that `freeSlot` was called with, by why. */
  readonly left: readonly string[];
  readonly unresolved: readonly string[];
  readonly log: readonly GateLogEntry[];
  /** Reserves a slot and returns its token. */
  readonly reserveToken: () => string;
  /** Unsubscribes from the gate. */
  readonly unsubscribe: () => void;
  /** The number of requests to the service that are being held; see `holdRequests`. */
  readonly heldRequests: () => number;
  /** Sends the held requests. */
  readonly sendHeldRequests: () => void;
  readonly close: () => Promise<void>;
}

interface GateOptions extends Partial<Omit<LobbyGateConfig, 'scheduler' | 'server'>> {
  readonly server?: Server;
  readonly emulatorConfig?: EmulatorConfig;
  readonly clientConfig?: Partial<ClientConfig>;
  /** How many players the lobby may have. Default 5,000. */
  readonly maxPlayers?: number;
  /** Whether to hold each request to the service until `sendHeldRequests`. */
  readonly holdRequests?: boolean;
  /** The time of the gate. Default: virtual time of its own. */
  readonly time?: ReturnType<typeof virtualTime> | SettableTime;
}

export async function openGate(options: GateOptions = {}): Promise<OpenGate> {
  const {
    emulatorConfig = {},
    clientConfig = {},
    maxPlayers = 5_000,
    holdRequests = false,
    time: { scheduler, pass } = virtualTime(),
    ...config
  } = options;
  const emulator = createEmulator({ scheduler, ...emulatorConfig });
  const service = await listen(emulator);
  const { lobby_id, token } = emulator.addLobby({ maxPlayers });
  const send = fromFetch({ scheduler });
  const requests = holdingTransport(send);
  const transport = holdRequests ? requests.transport : send;
  // It knows its service, so that each test counts the requests about its own tokens only.
  const client = createClient({
    ...service.urls,
    token,
    transport,
    scheduler,
    isFromService: ({ headers }) => headers.get('rvt-ray-id') !== null,
    ...clientConfig,
  });
  const server = config.server ?? createServer((_, response) => response.end('a page'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const entered = enter({ server, client, scheduler, token: 'query', ...config });
  return {
    ...entered,
    emulator,
    service,
    client,
    server,
    scheduler,
    pass,
    port: (server.address() as AddressInfo).port,
    reserveToken: () => emulator.reservePlayer(lobby_id),
    heldRequests: requests.count,
    sendHeldRequests: requests.send,
    close: async () => {
      entered.unsubscribe();
      for (const socket of entered.admitted) socket.close();
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
      await service.close();
    },
  };
}

/** A transport that holds each request until `send` is called. */
function holdingTransport(transport: Transport) {
  const release$ = new Subject<void>();
  let count = 0;
  const holding: Transport = request =>
    defer(() => {
      count++;
      return release$.pipe(
        first(),
        tap(() => count--),
        switchMap(() => transport(request)),
      );
    });
  return { transport: holding, count: () => count, send: () => release$.next() };
}

/** Opens a gate, and keeps what it reports. */
function enter(config: LobbyGateConfig) {
  const admitted: PlayerSocket[] = [];
  const left: string[] = [];
  const unresolved: string[] = [];
  const log: GateLogEntry[] = [];
  const gate$ = lobbyGate({
    freeSlot: (token, why) => {
      const freed = why === 'left' ? left : unresolved;
      freed.push(token);
    },
    log: entry => void log.push(entry),
    ...config,
  });
  const subscription = gate$.subscribe(socket => admitted.push(socket));
  const unsubscribe = () => subscription.unsubscribe();
  return { gate$, stats$: gate$.stats$, admitted, left, unresolved, log, unsubscribe };
}

/** How often the service was asked to confirm a token. */
export function confirmations({ emulator }: OpenGate): number {
  return emulator.requests.filter(({ url }) => url.includes('/players/connected')).length;
}

/** An `addressOf` for tests in which each client connects from an address of its own. */
export function eachFromElsewhere(): () => string {
  let clients = 0;
  return () => `client ${clients++}`;
}
