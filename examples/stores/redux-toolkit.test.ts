import { configureStore } from '@reduxjs/toolkit';
import { adapter, follow, lobby } from './redux-toolkit.js';
import { scenario } from './scenario.js';

scenario('Redux Toolkit', (client, group_id) => {
  const store = configureStore({ reducer: { lobby: lobby.reducer } });
  const errors: unknown[] = [];
  const following = follow(store.dispatch, client, group_id, error => errors.push(error));
  const { selectAll } = adapter.getSelectors();
  return {
    names: () => selectAll(store.getState().lobby.members).map(({ identity }) => identity.display_name),
    presenceOf: id => store.getState().lobby.presences[id]?.status,
    errors: () => errors,
    close: () => following.unsubscribe(),
  };
});
