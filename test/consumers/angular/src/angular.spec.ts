import '@angular/compiler';
import { VERSION } from '@angular/core';
import { expect, test, vi } from 'vitest';
import { createEmulator, listen } from 'lobby-rx/emulator';

/** A machine may have much other work. */
const PATIENCE_MS = 60_000;
vi.setConfig({ testTimeout: 2 * PATIENCE_MS });
const eventually = (check: () => void) => vi.waitFor(check, PATIENCE_MS);

test('Angular', async () => {
  const shows = (text: string) => eventually(() => expect(document.body.textContent).toContain(text));
  // Its default until 20.
  if (Number(VERSION.major) <= 20) await import('zone.js');
  const emulator = createEmulator({ collectTime: 0 });
  const ada = emulator.addIdentity({ display_name: 'Ada' });
  const group_id = emulator.addGroup();
  emulator.join(group_id, ada.identity_id);
  const server = await listen(emulator);
  const shown = vi.spyOn(console, 'log');
  Object.assign(globalThis, { group_id, session: ada, url: server.url });
  document.body.append(document.createElement('app-root'));
  await import('./angular-app');
  await shows('Ada');
  await shows('The feed is live');
  const grace = emulator.addIdentity({ display_name: 'Grace' });
  emulator.join(group_id, grace.identity_id);
  await shows('Grace');
  const { lobby_id } = emulator.addLobby();
  emulator.sendLobbyJoin(ada.identity_id, lobby_id);
  await eventually(() => expect(shown).toHaveBeenCalledWith(lobby_id));
  await server.close();
});
