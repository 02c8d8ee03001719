import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { lastValueFrom, toArray } from 'rxjs';
import { createClient } from 'lobby-rx';
import { createEmulator, listen, seedWorld, simulateActivity } from 'lobby-rx/emulator';

/** How to start the board. */
export interface BoardConfig {
  /** The port of the page. Default: any free one. */
  readonly port?: number;
  /** Which build to serve. Default `zoneless`. */
  readonly variant?: 'zoneless' | 'zone';
  /**
   * The average time between two things that happen by themselves, in ms. Default: nothing does.
   */
  readonly every?: number;
  /** The number of members of the group. Default 137. */
  readonly members?: number;
  /** Called with each line that a server prints. */
  readonly print?: (line: string) => void;
}

/**
 * Starts an emulated service, the example's lobby server, and the server of the page, with two
 * players who can sign in.
 */
export async function startBoard({
  port = 0,
  variant = 'zoneless',
  members = 137,
  every,
  print = () => undefined,
}: BoardConfig = {}) {
  const lobbyPort = await freePort();
  const { emulator, world, grace, players } = createWorld(members, lobbyPort);
  await bringOnline(emulator, world.groupId, world.identityToken);
  let service = await listen(emulator);
  const pagePort = port || (await freePort());
  const url = `http://localhost:${pagePort}`;
  const platform = createServer(platformOf({ emulator, world, players, pageUrl: url }));
  const platformUrl = await urlOf(platform);
  const lobby = await startServer('../lobby-server/main.ts', print, {
    PORT: String(lobbyPort),
    LOBBY_RX_URL: service.url,
    LOBBY_TOKEN: world.lobbyToken,
  });
  const page = await startServer(`dist/${variant}/server/server.mjs`, print, {
    PORT: String(pagePort),
    SERVICE_URL: service.url,
    PLATFORM_URL: platformUrl,
  });
  const activities = ['presence', 'presence', 'profile', 'members', 'chat'] as const;
  const happening = every && simulateActivity(emulator, world, { every, activities }).subscribe();
  return {
    emulator,
    world,
    grace,
    url,
    serviceUrl: service.url,
    /**
     * Links that sign a player in. On the same host as the page, because the page's cookie is for
     * its own site.
     */
    links: players.map(({ name }) => ({
      name,
      url: `${platformUrl.replace('127.0.0.1', 'localhost')}/${name.toLowerCase()}`,
    })),
    stopService: () => service.close(),
    restartService: async () => {
      service = await listen(emulator, { port: service.port });
    },
    close: async () => {
      if (happening) happening.unsubscribe();
      await Promise.all([page, lobby].map(endOf));
      platform.close();
      platform.closeAllConnections();
      await service.close();
    },
  };
}

/** A player who can sign in. */
interface BoardPlayer {
  readonly name: string;
  readonly identity_id: string;
  token: string;
}

/** An emulated service whose group has two players who can sign in, Ada and Grace. */
function createWorld(members: number, lobbyPort: number) {
  // Player tokens are usually valid for two minutes. Here there is no hurry.
  const emulator = createEmulator({ reservation: 3_600_000, random: Math.random });
  const ports = { default: { hostname: '127.0.0.1', port: lobbyPort, is_tls: false } };
  const world = seedWorld(emulator, { members, ports });
  emulator.updateProfile(world.identityId, { display_name: 'Ada Lovelace' });
  const grace = emulator.addIdentity({ display_name: 'Grace Hopper' });
  emulator.join(world.groupId, grace.identity_id);
  emulator.befriend(world.identityId, grace.identity_id);
  for (const friend of world.friendIds) emulator.befriend(grace.identity_id, friend);
  const players: readonly BoardPlayer[] = [
    { name: 'Ada', identity_id: world.identityId, token: world.identityToken },
    { name: 'Grace', ...grace },
  ];
  return { emulator, world, grace, players };
}

/** What the platform of the game knows. */
interface Platform extends Pick<ReturnType<typeof createWorld>, 'emulator' | 'world' | 'players'> {
  readonly pageUrl: string;
}

/** Signs players in by a form that sends itself, renews their tokens, and finds them a lobby. */
function platformOf({ emulator, world, players, pageUrl }: Platform): RequestListener {
  return (request, response) => {
    const player = players.find(
      ({ name, token }) =>
        request.url === `/${name.toLowerCase()}` || request.headers.authorization === `Bearer ${token}`,
    );
    if (!player) {
      response.writeHead(401).end();
    } else if (request.url === '/renew') {
      player.token = emulator.renewToken(player.token);
      response.end(player.token);
    } else if (request.url === '/find') {
      try {
        emulator.sendLobbyJoin(player.identity_id, world.lobbyId);
        response.writeHead(204).end();
      } catch {
        response.writeHead(503).end();
      }
    } else {
      response.writeHead(200, { 'content-type': 'text/html', 'cache-control': 'no-store' });
      response.end(signInForm(player, world.groupId, pageUrl));
    }
  };
}

/** A page whose form signs a player in. */
function signInForm({ token, name }: BoardPlayer, group_id: string, pageUrl: string): string {
  const inputs = Object.entries({ token, group_id, name }).map(
    ([field, value]) => `<input type="hidden" name="${field}" value="${value}">`,
  );
  const form = `<form method="post" action="${pageUrl}/session">${inputs.join('')}</form>`;
  return `<!doctype html>${form}<script>document.forms[0].submit()</script>`;
}

/** A running board. */
export type Board = Awaited<ReturnType<typeof startBoard>>;

/** Two members in three are there. */
async function bringOnline(emulator: ReturnType<typeof createEmulator>, group_id: string, token: string) {
  const client = createClient({ url: emulator.url, transport: emulator.transport, token });
  const members = await lastValueFrom(client.group.members(group_id).pipe(toArray()));
  members.forEach(({ identity }, i) => {
    if (i % 3 < 2) emulator.updatePresence(identity.identity_id, { status: i % 4 === 3 ? 'away' : 'online' });
  });
}

/** Starts a server in a process of its own. Resolves when it has printed that it is open. */
async function startServer(
  file: string,
  print: (line: string) => void,
  env: NodeJS.ProcessEnv,
): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, file), {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const kill = () => child.kill();
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  createInterface({ input: child.stderr! }).on('line', print);
  await new Promise<void>((resolve, reject) => {
    child.once('exit', code => reject(new Error(`${file} has ended with ${code}`)));
    createInterface({ input: child.stdout! }).on('line', line => {
      print(line);
      if (/\b(http|ws):\/\//.test(line)) resolve();
    });
  });
  return child;
}

async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'exit');
}

async function urlOf(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const { port } = new URL(await urlOf(server));
  await new Promise(resolve => server.close(resolve));
  return Number(port);
}
