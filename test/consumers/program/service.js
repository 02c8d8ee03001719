import { createEmulator } from 'lobby-rx/emulator';

/** The service, emulated, with a group of two. */
export function service() {
  const emulator = createEmulator();
  const ada = emulator.addIdentity({ display_name: 'Ada' });
  const grace = emulator.addIdentity({ display_name: 'Grace' });
  const group_id = emulator.addGroup();
  emulator.join(group_id, ada.identity_id);
  emulator.join(group_id, grace.identity_id);
  return { emulator, group_id, token: ada.token };
}
