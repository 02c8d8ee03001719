import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createEmulator,
  listen,
  seedWorld,
  type Emulator,
  type EmulatorServer,
  type SeededWorld,
} from 'lobby-rx/emulator';

/** The service that the commands of a test use, and a folder for their files. */
export interface Service {
  readonly emulator: Emulator;
  readonly world: SeededWorld;
  readonly server: EmulatorServer;
  readonly folder: string;
  /**
   * The environment for a command that uses the service, with the identity's token or another one.
   */
  readonly env: (token?: string) => Record<string, string>;
  /** Whether a watch is waiting for news. */
  readonly hasPendingWatch: () => boolean;
}

/**
 * Starts a new service before each test of a suite, and stops it after the test. The result is that
 * of the current test.
 */
export function useService(): Service {
  const current = {} as { -readonly [Key in keyof Service]: Service[Key] };
  beforeEach(async () => {
    const emulator = createEmulator({ collectTime: 0 });
    const world = seedWorld(emulator, { members: 40 });
    const server = await listen(emulator);
    Object.assign(current, {
      emulator,
      world,
      server,
      folder: await mkdtemp(join(tmpdir(), 'lobby-rx-cli-')),
      env: (token = world.identityToken) => ({
        LOBBY_RX_GROUP_URL: server.urls.groupUrl,
        LOBBY_RX_MATCHMAKER_URL: server.urls.matchmakerUrl,
        LOBBY_RX_API_URL: server.urls.apiUrl,
        LOBBY_RX_TOKEN: token,
      }),
      hasPendingWatch: () =>
        emulator.requests.some(({ pending, url }) => pending && url.includes('watch_index')),
    } satisfies Service);
  });
  afterEach(async () => {
    await current.server.close();
    await rm(current.folder, { recursive: true, force: true });
  });
  return current;
}
