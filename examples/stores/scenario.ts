import { ok } from 'node:assert';
import { createClient, isStatusError, type Client } from 'lobby-rx';
import { createEmulator, listen, type EmulatorServer } from 'lobby-rx/emulator';

/** Reads the current state of a store. */
export interface StoreView {
  readonly names: () => readonly string[];
  readonly presenceOf: (identity_id: string) => string | undefined;
  /** The errors that ended the streams. */
  readonly errors: () => readonly unknown[];
}

async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(resolve => setTimeout(resolve, 5));
}

/**
 * Follows a group of the emulator in a store, over HTTP, and checks that the store is kept up to
 * date.
 */
export function scenario(
  name: string,
  open: (client: Client, group_id: string) => StoreView & { close(): void },
) {
  describe(name, () => {
    let server: EmulatorServer;
    let close: () => void;
    afterEach(async () => {
      close();
      await server.close();
    });

    it('shows a group and presence as they change', async () => {
      const emulator = createEmulator({ collectTime: 0 });
      server = await listen(emulator);
      const ada = emulator.addIdentity({ display_name: 'Ada' });
      const grace = emulator.addIdentity({ display_name: 'Grace' });
      const hedy = emulator.addIdentity({ display_name: 'Hedy' });
      const group_id = emulator.addGroup();
      for (const { identity_id } of [ada, grace]) emulator.join(group_id, identity_id);
      emulator.befriend(ada.identity_id, hedy.identity_id);

      const view = open(createClient({ ...server.urls, token: ada.token }), group_id);
      close = () => view.close();
      const shows = (...names: string[]) => waitUntil(() => view.names().join() === names.join());
      await shows('Ada', 'Grace');
      await waitUntil(() =>
        emulator.requests.some(({ url, pending }) => pending && url.includes('/events/')),
      );

      emulator.join(group_id, hedy.identity_id);
      await shows('Ada', 'Grace', 'Hedy');
      emulator.leave(group_id, grace.identity_id);
      await shows('Ada', 'Hedy');
      emulator.updateProfile(ada.identity_id, { display_name: 'Ada L' });
      await shows('Ada L', 'Hedy');

      for (const status of ['away', 'online']) {
        emulator.updatePresence(hedy.identity_id, { status });
        await waitUntil(() => view.presenceOf(hedy.identity_id) === status);
      }
    });

    it('gets the error that ends the streams', async () => {
      const emulator = createEmulator();
      server = await listen(emulator);
      const { token } = emulator.addIdentity();
      const view = open(createClient({ ...server.urls, token }), 'no-such-group');
      close = () => view.close();
      await waitUntil(() => view.errors().length === 1);
      ok(isStatusError(view.errors()[0]));
    });
  });
}
