import '@angular/compiler';
import { createEnvironmentInjector, Injector, type EnvironmentInjector } from '@angular/core';
import { provideState, provideStore, Store } from '@ngrx/store';
import { follow, lobby } from './ngrx-store.js';
import { scenario } from './scenario.js';

scenario('NgRx Store', (client, group_id) => {
  const injector = createEnvironmentInjector(
    [provideStore(), provideState(lobby)],
    Injector.NULL as EnvironmentInjector,
  );
  const store = injector.get(Store);
  const members = store.selectSignal(lobby.selectMembers);
  const presences = store.selectSignal(lobby.selectPresences);
  const errors: unknown[] = [];
  const following = follow(store, client, group_id, error => errors.push(error));
  return {
    names: () => Object.values(members()).map(({ identity }) => identity.display_name),
    presenceOf: id => presences()[id]?.status,
    errors: () => errors,
    close: () => {
      following.unsubscribe();
      injector.destroy();
    },
  };
});
