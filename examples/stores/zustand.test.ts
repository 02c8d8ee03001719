import { scenario } from './scenario.js';
import { createLobbyStore, follow } from './zustand.js';

scenario('Zustand', (client, group_id) => {
  const store = createLobbyStore();
  const errors: unknown[] = [];
  const following = follow(store, client, group_id, error => errors.push(error));
  return {
    names: () => [...store.getState().members.values()].map(({ identity }) => identity.display_name),
    presenceOf: id => store.getState().profiles.get(id)?.presence?.status,
    errors: () => errors,
    close: () => following.unsubscribe(),
  };
});
