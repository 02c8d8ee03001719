import { createEmulator } from 'lobby-rx/emulator';

/** The service, emulated, with a group of two. */
export function service() {
  const emulator = createEmulator();
  const ada = emulator.addIdentity({ display_name: 'Ada' });
  const grace = emulator.addIdentity({ display_name: 'Grace' });
  const group_id = emulator.addGroup();
  emulator.join(group_id, ada.identity_id);
  emulator.join(group_id, grace.identity_id);
  /** Sends Ada to a lobby, and returns its id. */
  const join = () => {
    const { lobby_id } = emulator.addLobby();
    emulator.sendLobbyJoin(ada.identity_id, lobby_id);
    return lobby_id;
  };
  return { emulator, group_id, token: ada.token, join };
}
