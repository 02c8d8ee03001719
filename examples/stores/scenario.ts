import { ok } from 'node:assert';
import { createClient, isStatusError, type Client } from 'lobby-rx';
import { createEmulator, listen, type EmulatorServer } from 'lobby-rx/emulator';

/** What a store shows, read from it anew each time. */
export interface Shown {
  readonly names: () => readonly string[];
  readonly presenceOf: (identity_id: string) => string | undefined;
  /** What ended the streams. */
  readonly errors: () => readonly unknown[];
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(resolve => setTimeout(resolve, 5));
}

/** Follows a group of the emulator's in a store, over HTTP, and looks whether the store shows what happens. */
export function scenario(
  name: string,
  open: (client: Client, group_id: string) => Shown & { close(): void },
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

      const shown = open(createClient({ ...server.urls, token: ada.token }), group_id);
      close = () => shown.close();
      const shows = (...names: string[]) => until(() => shown.names().join() === names.join());
      await shows('Ada', 'Grace');
      await until(() => emulator.requests.some(({ url, pending }) => pending && url.includes('/events/')));

      emulator.join(group_id, hedy.identity_id);
      await shows('Ada', 'Grace', 'Hedy');
      emulator.leave(group_id, grace.identity_id);
      await shows('Ada', 'Hedy');
      emulator.updateProfile(ada.identity_id, { display_name: 'Ada L' });
      await shows('Ada L', 'Hedy');

      for (const status of ['away', 'online']) {
        emulator.updatePresence(hedy.identity_id, { status });
        await until(() => shown.presenceOf(hedy.identity_id) === status);
      }
    });

    it('is told what ends the streams', async () => {
      const emulator = createEmulator();
      server = await listen(emulator);
      const { token } = emulator.addIdentity();
      const shown = open(createClient({ ...server.urls, token }), 'no-such-group');
      close = () => shown.close();
      await until(() => shown.errors().length === 1);
      ok(isStatusError(shown.errors()[0]));
    });
  });
}
