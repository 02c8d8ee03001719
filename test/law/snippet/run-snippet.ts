import { fork, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import { createClient } from 'lobby-rx';
import { createEmulator, listen, seedWorld, simulateActivity, type Emulator } from 'lobby-rx/emulator';
import { lobbyGate } from 'lobby-rx/lobby-server';
import type { Snippet } from './snippet.js';

const ROOT = join(import.meta.dirname, '../../..');
const FOLDER = join(ROOT, 'node_modules/.cache/lobby-rx/snippets', String(process.pid));

/** A snippet is done after this many changes of the world without anything new from it. */
const ENOUGH = 25;
/** A snippet is late after this many changes of the world, about 10 s. */
const TOO_MUCH = 3_000;

/** So many tokens of a snippet expire, each as soon as it has been used. */
const TOKENS = 2;

/** The places where a snippet shows something. */
const SHOWS = /\bconsole\.log\b(?=\s*[(),])/g;

/** The URL of the service, in snippets. */
const SERVICE = /'https:\/\/[\w-]+\.example\.com'/g;

/** A snippet as a program. */
export interface Program {
  readonly file: string;
  readonly shows: number;
  /** Whether it uses a lobby's token, not an identity's. */
  readonly isLobby: boolean;
}

/** How a program ended. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  /**
   * How many requests were refused because the token had expired, and how many were sent with a
   * later one.
   */
  readonly rejected: number;
  readonly renewed: number;
  /** How many of its places have shown something. */
  readonly shown: number;
  readonly isLate: boolean;
}

/** Bundles snippets, each into a program of its own. `clean` deletes them. */
export async function bundleSnippets(snippets: readonly Snippet[]): Promise<readonly Program[]> {
  mkdirSync(FOLDER, { recursive: true });
  const programs = snippets.map(({ code }, i) => ({
    file: join(FOLDER, `${i}.mjs`),
    shows: [...code.matchAll(SHOWS)].length,
    isLobby: /\bmatchmaker\.|\blobbyGate\(/.test(code),
  }));
  await build({
    entryPoints: snippets.map((_, i) => ({ in: `program:${i}`, out: String(i) })),
    outdir: FOLDER,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'silent',
    // The package declares that it has no side effects; the preamble consists of them.
    ignoreAnnotations: true,
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    plugins: [
      {
        name: 'snippets',
        setup(plugin) {
          plugin.onResolve({ filter: /^(program|snippet):/ }, ({ path }) => {
            const [namespace, i] = path.split(':') as [string, string];
            return { namespace, path: i };
          });
          plugin.onLoad({ filter: /./, namespace: 'program' }, ({ path: i }) => ({
            contents: `import './preamble.ts'; import 'snippet:${i}';`,
            resolveDir: import.meta.dirname,
          }));
          plugin.onLoad({ filter: /./, namespace: 'snippet' }, ({ path: i }) => {
            let place = 0;
            const { code } = snippets[Number(i)]!;
            return {
              contents: code
                .replace(SHOWS, () => `shownAt(${place++})`)
                .replace(SERVICE, 'process.env.LOBBY_RX_URL!'),
              loader: 'ts',
              resolveDir: import.meta.dirname,
            };
          });
        },
      },
    ],
  });
  return programs;
}

export const clean = () => rmSync(FOLDER, { recursive: true, force: true });

/** Runs a snippet in a world of its own, over HTTP, until nothing new is expected from it. */
export async function runSnippet({ file, shows, isLobby }: Program): Promise<Ended> {
  const emulator = createEmulator();
  const world = seedWorld(emulator, { maxPlayers: 10_000 });
  const service = await listen(emulator);
  const lobby = await openLobby(createClient({ ...service.urls, token: world.lobbyToken }));
  const { child, output } = startProgram(file, {
    LOBBY_RX_URL: service.url,
    LOBBY_RX_GROUP_URL: service.urls.groupUrl,
    LOBBY_RX_MATCHMAKER_URL: service.urls.matchmakerUrl,
    LOBBY_RX_API_URL: service.urls.apiUrl,
    LOBBY_TOKEN: world.lobbyToken,
    GATE: 'a',
    LOBBY_RX_TOKEN: isLobby ? world.lobbyToken : world.identityToken,
    LOBBY_RX_GROUP: world.groupId,
    SNIPPET_IDENTITY: world.identityId,
    SNIPPET_PLAYER: world.playerToken,
    SNIPPET_LOBBY: lobby.url,
  });
  const tokens = new SessionTokens(emulator, child, world.identityToken);

  const shown = new Set<unknown>();
  let happened = 0;
  let lastNews = 0;
  let isLate = false;
  let isEnding = false;
  const end = () => {
    if (isEnding) return;
    isEnding = true;
    // It may have just ended by itself.
    if (child.connected) child.send('end', () => undefined);
  };
  child.on('message', (message: number | { readonly known: string }) => {
    // Not before it can sign in again.
    if (typeof message === 'object') return emulator.expireToken(message.known);
    if (!shown.has(message)) lastNews = happened;
    shown.add(message);
  });
  const activity = simulateActivity(emulator, world, { every: 10 }).subscribe(() => {
    happened++;
    tokens.renew();
    const { rejected, renewed } = tokens.counts();
    const isSeen = shows > 0 ? shown.size > 0 : emulator.requests.length > 0;
    if (isSeen && (rejected === 0 || renewed > 0) && happened - lastNews > ENOUGH) end();
    if (happened === TOO_MUCH) {
      isLate = true;
      child.kill('SIGKILL');
    }
  });
  const code = await new Promise<number | null>(resolve => child.on('close', resolve));

  activity.unsubscribe();
  lobby.close();
  await service.close();
  return { code, ...output(), ...tokens.counts(), shown: shown.size, isLate };
}

function startProgram(file: string, env: Readonly<Record<string, string>>) {
  const child = fork(file, {
    // Some save a file.
    cwd: mkdtempSync(join(FOLDER, 'run-')),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { PATH: process.env.PATH, ...env },
  });
  let out = '';
  let err = '';
  child.stdout!.on('data', (data: Buffer) => {
    out += data.toString();
  });
  child.stderr!.on('data', (data: Buffer) => {
    err += data.toString();
  });
  return { child, output: () => ({ out, err }) };
}

/** The tokens of a program's session: each is renewed once it has been used. */
class SessionTokens {
  readonly #renewed = new Set<string>();

  constructor(
    private readonly emulator: Emulator,
    private readonly child: ChildProcess,
    private current: string,
  ) {}

  renew(): void {
    const isUsed = this.emulator.requests.some(({ token }) => token === this.current);
    if (!isUsed || this.#renewed.size === TOKENS || !this.child.connected) return;
    this.current = this.emulator.renewToken(this.current);
    this.#renewed.add(this.current);
    this.child.send(this.current, () => undefined);
  }

  /** How many requests were rejected, and how many had a token that was renewed. */
  counts(): { readonly rejected: number; readonly renewed: number } {
    const { requests } = this.emulator;
    return {
      rejected: requests.filter(({ status }) => status === 401).length,
      renewed: requests.filter(({ token }) => this.#renewed.has(token!)).length,
    };
  }
}

/** The lobby that a snippet reaches at any address of a lobby. */
async function openLobby(client: Parameters<typeof lobbyGate>[0]['client']) {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  const players = lobbyGate({ server, client }).subscribe(player =>
    player.send(JSON.stringify({ text: 'Welcome.', ticket: player.returnTicket })),
  );
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      players.unsubscribe();
      server.close();
      server.closeAllConnections();
    },
  };
}
