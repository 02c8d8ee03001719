import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defer, first, Subject, switchMap, tap, type Observable, type VirtualTimeScheduler } from 'rxjs';
import { createClient, fromFetch, type Client, type ClientConfig, type Transport } from 'lobby-rx';
import {
  createEmulator,
  listen,
  type Emulator,
  type EmulatorConfig,
  type EmulatorServer,
} from 'lobby-rx/emulator';
import { lobbyGate, type GateLogEntry, type LobbyGateConfig, type LobbySocket } from 'lobby-rx/lobby-server';
import { virtualTime } from '../virtual-time.js';

/**
 * A lobby's server with its gate, and the service behind it: all over real HTTP, and all in virtual time. Nothing expires or
 * times out by itself, however slow the machine is.
 */
export interface OpenGate {
  readonly emulator: Emulator;
  readonly service: EmulatorServer;
  readonly client: Client;
  readonly server: Server;
  readonly port: number;
  readonly gate$: Observable<LobbySocket>;
  readonly admitted: readonly LobbySocket[];
  readonly scheduler: VirtualTimeScheduler;
  /** Lets this many ms pass. */
  readonly pass: (ms: number) => void;
  /** The tokens that `onGone` and `onUnknown` were called with. */
  readonly gone: readonly string[];
  readonly unknown: readonly string[];
  readonly log: readonly GateLogEntry[];
  /** A valid token. */
  readonly reserve: () => string;
  /** Unsubscribes from the gate. */
  readonly leave: () => void;
  /** How many requests to the service are held; see `isHeld`. */
  readonly waiting: () => number;
  /** Sends those that are held. */
  readonly goOn: () => void;
  readonly close: () => Promise<void>;
}

interface Setting extends Partial<Omit<LobbyGateConfig, 'scheduler'>> {
  readonly emulated?: EmulatorConfig;
  readonly clientConfig?: Partial<ClientConfig>;
  /** Whether each request to the service is held until `goOn`. */
  readonly isHeld?: boolean;
}

export async function openGate(setting: Setting = {}): Promise<OpenGate> {
  const { emulated = {}, clientConfig = {}, isHeld = false, ...config } = setting;
  const { scheduler, pass } = virtualTime();
  const emulator = createEmulator({ scheduler, ...emulated });
  const service = await listen(emulator);
  const { lobby_id, token } = emulator.addLobby({ maxPlayers: 5_000 });
  const goOn$ = new Subject<void>();
  let waiting = 0;
  const send = fromFetch({ scheduler });
  const held: Transport = request =>
    defer(() => {
      waiting++;
      return goOn$.pipe(
        first(),
        tap(() => waiting--),
        switchMap(() => send(request)),
      );
    });
  const transport = isHeld ? held : send;
  const client = createClient({ ...service.urls, token, transport, scheduler, ...clientConfig });

  const server = config.server ?? createServer((_, response) => response.end('a page'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const admitted: LobbySocket[] = [];
  const gone: string[] = [];
  const unknown: string[] = [];
  const log: GateLogEntry[] = [];
  const gate$ = lobbyGate({
    ...{ server, client, scheduler },
    onGone: token => void gone.push(token),
    onUnknown: token => void unknown.push(token),
    log: entry => void log.push(entry),
    ...config,
  });
  const subscription = gate$.subscribe(socket => admitted.push(socket));
  return {
    ...{ emulator, service, client, server, gate$, scheduler, pass, admitted, gone, unknown, log },
    port: (server.address() as AddressInfo).port,
    reserve: () => emulator.reservePlayer(lobby_id),
    leave: () => subscription.unsubscribe(),
    waiting: () => waiting,
    goOn: () => goOn$.next(),
    close: async () => {
      subscription.unsubscribe();
      for (const socket of admitted) socket.close();
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
      await service.close();
    },
  };
}

/** How often the service was asked to confirm a token. */
export function confirmations({ emulator }: OpenGate): number {
  return emulator.requests.filter(({ url }) => url.includes('/players/connected')).length;
}
